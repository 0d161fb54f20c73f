//! Holds a file to a JSON Schema, all problems at once.
//!
//! It understands what `schemars` writes for our types: types, properties, required, additionalProperties, items and
//! their counts, enumerations, choices (`anyOf`, `oneOf`) and `$ref` into `$defs`. A word it does not understand is
//! ignored; serde, which reads the file afterwards, is the stricter one then.

use super::document::{Document, Step};
use super::names::{hint, split_unit};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use veracity_model::Findings;
use veracity_model::numbers::nearest;

/// Whether a document has the shape; what it has not has been said. `elsewhere` are keys of the top level that people
/// expect here, with the sentence that says where they belong.
pub fn holds(document: &Document, schema: &Json, elsewhere: &[(&str, &str)], findings: &mut Findings) -> bool {
    let mut holder = Holder { root: schema, elsewhere, problems: Vec::new(), way: Vec::new() };
    holder.table(schema, document.tree(), None);
    let good = holder.problems.is_empty();
    for (at, text) in holder.problems {
        document.error_at(at, text, findings);
    }
    good
}

struct Holder<'a> {
    root: &'a Json,
    elsewhere: &'a [(&'a str, &'a str)],
    problems: Vec<(Option<usize>, String)>,
    /// Keys and indices down to the value in hand.
    way: Vec<Step>,
}

impl<'a> Holder<'a> {
    fn value(&mut self, schema: &'a Json, value: &Spanned<DeValue<'_>>) {
        let schema = self.resolved(schema);
        if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Json::as_array) {
            self.choice(choices, value);
            return;
        }
        let at = Some(value.span().start);
        let types = types_of(schema);
        let found = value.get_ref();
        if !types.is_empty() && !types.iter().any(|t| is_of_type(found, t)) {
            let text = self.wrong_type(&types, found);
            self.problems.push((at, text));
            return;
        }
        match found {
            DeValue::Table(table) => self.table(schema, table, at),
            DeValue::Array(items) => self.list(schema, items, at),
            DeValue::String(text) => self.word(schema, text, at),
            DeValue::Float(_) | DeValue::Integer(_) => self.number(schema, found, at),
            _ => {}
        }
    }

    fn table(&mut self, schema: &'a Json, table: &DeTable<'_>, at: Option<usize>) {
        let properties = schema.get("properties").and_then(Json::as_object);
        let rest = schema.get("additionalProperties");
        // Keys a misspelt one was meant for: that they are missing need not be said as well.
        let mut meant: Vec<&str> = Vec::new();
        for (key, value) in table.iter() {
            self.way.push(Step::Key(key.get_ref().to_string()));
            match properties.and_then(|p| p.get(key.get_ref().as_ref())) {
                Some(schema) => self.value(schema, value),
                None => match rest {
                    Some(Json::Bool(false)) => {
                        let known = properties.into_iter().flat_map(|p| p.keys()).map(String::as_str);
                        let (text, right) = self.unknown_key(key.get_ref(), known);
                        meant.extend(right);
                        self.problems.push((Some(key.span().start), text));
                    }
                    Some(schema) if schema.is_object() => self.value(schema, value),
                    _ => {}
                },
            }
            self.way.pop();
        }
        for wanted in schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
            if table.get(wanted).is_none() && !meant.contains(&wanted) {
                let text = format!("{} has no '{wanted}'; add it", self.place());
                self.problems.push((at, text));
            }
        }
    }

    fn list(&mut self, schema: &'a Json, items: &[Spanned<DeValue<'_>>], at: Option<usize>) {
        let count = |key: &str| schema.get(key).and_then(Json::as_u64);
        let (least, most) = (count("minItems"), count("maxItems"));
        let n = items.len() as u64;
        if least.is_some_and(|least| n < least) || most.is_some_and(|most| n > most) {
            let wanted = match (least, most) {
                (Some(a), Some(b)) if a == b => format!("{a}"),
                (Some(a), _) => format!("at least {a}"),
                (None, b) => format!("at most {}", b.unwrap_or_default()),
            };
            self.problems.push((at, format!("{} has {n} entries; it must have {wanted}", self.name())));
        }
        if let Some(schema) = schema.get("items") {
            for (i, item) in items.iter().enumerate() {
                self.way.push(Step::Index(i));
                self.value(schema, item);
                self.way.pop();
            }
        }
    }

    fn word(&mut self, schema: &Json, text: &str, at: Option<usize>) {
        let allowed = words_of(schema);
        if !allowed.is_empty() && !allowed.contains(&text) {
            let hint = hint(text, allowed.iter().copied());
            self.problems.push((at, format!("{} cannot be '{text}'; {hint}", self.name())));
        }
    }

    fn number(&mut self, schema: &Json, found: &DeValue<'_>, at: Option<usize>) {
        let Some(x) = number_of(found) else {
            self.problems.push((at, format!("{} is a number too large to hold; correct it", self.name())));
            return;
        };
        if !x.is_finite() {
            self.problems.push((at, format!("{} is {x}; give it a finite number", self.name())));
            return;
        }
        let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
        let problem = match (bound("exclusiveMinimum"), bound("minimum"), bound("maximum")) {
            (Some(low), _, _) if x <= low => Some(format!("must be greater than {low}")),
            (_, Some(low), _) if x < low => Some(format!("must be at least {low}")),
            (_, _, Some(high)) if x > high => Some(format!("must be at most {high}")),
            _ => None,
        };
        if let Some(problem) = problem {
            self.problems.push((at, format!("{} is {x}; it {problem}", self.name())));
        }
    }

    /// One of several schemas. Where none fits, the complaint is that of the only one of the value's own kind.
    fn choice(&mut self, choices: &'a [Json], value: &Spanned<DeValue<'_>>) {
        let at = Some(value.span().start);
        if let DeValue::String(text) = value.get_ref() {
            let words: Vec<&str> = choices.iter().flat_map(|c| words_of(self.resolved(c))).collect();
            if !words.is_empty() && words.len() >= choices.len() {
                if !words.contains(&text.as_ref()) {
                    let hint = hint(text, words.iter().copied());
                    self.problems.push((at, format!("{} cannot be '{text}'; {hint}", self.name())));
                }
                return;
            }
        }
        let mut of_this_kind = Vec::new();
        for choice in choices {
            let before = self.problems.len();
            self.value(choice, value);
            let complaints = self.problems.split_off(before);
            if complaints.is_empty() {
                return;
            }
            let types = types_of(self.resolved(choice));
            if types.iter().any(|t| is_of_type(value.get_ref(), t)) {
                of_this_kind.push(complaints);
            }
        }
        if of_this_kind.len() == 1 {
            self.problems.extend(of_this_kind.remove(0));
            return;
        }
        let mut kinds: Vec<&str> = choices.iter().flat_map(|c| types_of(self.resolved(c))).collect();
        kinds.dedup();
        let text = self.wrong_type(&kinds, value.get_ref());
        self.problems.push((at, text));
    }

    fn resolved(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        // References of references: as deep as types are nested, and no deeper.
        for _ in 0..16 {
            let target = schema.get("$ref").and_then(Json::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
            match target.and_then(|name| self.root.get("$defs")?.get(name)) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }

    /// The sentence, and the key that was probably meant.
    fn unknown_key<'k>(&self, key: &str, known: impl Iterator<Item = &'k str> + Clone) -> (String, Option<&'k str>) {
        if let [_] = self.way.as_slice()
            && let Some((_, sentence)) = self.elsewhere.iter().find(|(k, _)| *k == key)
        {
            return ((*sentence).to_string(), None);
        }
        let stem = split_unit(key).map_or(key, |(stem, _)| stem);
        let same = known.clone().find(|k| split_unit(k).is_some_and(|(s, _)| s == stem) || *k == stem);
        if let Some(right) = same.filter(|right| *right != key) {
            let text = format!(
                "there is no key '{key}' in {}; the unit is part of the key: write '{right}' and the number in that unit",
                self.parent()
            );
            return (text, Some(right));
        }
        let right = nearest(key, known.clone()).first().copied();
        (format!("there is no key '{key}' in {}; {}", self.parent(), hint(key, known)), right)
    }

    fn wrong_type(&self, wanted: &[&str], found: &DeValue<'_>) -> String {
        let word = |t: &str| match t {
            "number" => "a number",
            "integer" => "a whole number",
            "string" => "a text in quotes",
            "boolean" => "true or false",
            "array" => "a list [ … ]",
            "object" => "a table",
            _ => "",
        };
        let mut words: Vec<&str> = wanted.iter().map(|t| word(t)).filter(|w| !w.is_empty()).collect();
        words.dedup();
        let is = match found {
            DeValue::String(text) => format!("the text \"{text}\""),
            DeValue::Boolean(b) => b.to_string(),
            DeValue::Integer(i) => i.to_string(),
            DeValue::Float(x) => x.to_string(),
            DeValue::Datetime(_) => "a date".to_string(),
            DeValue::Array(_) => "a list".to_string(),
            DeValue::Table(_) => "a table".to_string(),
        };
        let unit = match found {
            DeValue::String(text)
                if wanted.contains(&"number") && text.trim_start().starts_with(|c: char| c.is_ascii_digit()) =>
            {
                "; the unit is part of the key, so write the bare number"
            }
            _ => "; correct it",
        };
        format!("{} must be {} and is {is}{unit}", self.name(), words.join(" or "))
    }

    /// What the value in hand is called in sentences.
    fn name(&self) -> String {
        let key = self.way.iter().rev().find_map(|s| match s {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        });
        match (key, self.way.last()) {
            (Some(key), Some(Step::Index(i))) => format!("entry {} of '{key}'", i + 1),
            (Some(key), _) => format!("'{key}'"),
            (None, _) => "the file".to_string(),
        }
    }

    /// The table in hand.
    fn place(&self) -> String {
        self.table_named(&self.way)
    }

    /// The table that holds the key in hand.
    fn parent(&self) -> String {
        self.table_named(&self.way[..self.way.len().saturating_sub(1)])
    }

    fn table_named(&self, way: &[Step]) -> String {
        let keys: Vec<&str> = way
            .iter()
            .filter_map(|s| match s {
                Step::Key(key) => Some(key.as_str()),
                Step::Index(_) => None,
            })
            .collect();
        match (keys.is_empty(), way.last()) {
            (true, _) => "the file".to_string(),
            (false, Some(Step::Index(_))) => format!("[[{}]]", keys.join(".")),
            _ => format!("[{}]", keys.join(".")),
        }
    }
}

fn types_of(schema: &Json) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::String(one)) => vec![one.as_str()],
        Some(Json::Array(several)) => several.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The words a text may be: an enumeration, a constant, or a choice of constants.
fn words_of(schema: &Json) -> Vec<&str> {
    let listed = schema.get("enum").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    listed.chain(schema.get("const").and_then(Json::as_str)).collect()
}

fn is_of_type(value: &DeValue<'_>, wanted: &str) -> bool {
    match value {
        DeValue::String(_) => wanted == "string",
        DeValue::Integer(_) => wanted == "integer" || wanted == "number",
        DeValue::Float(_) => wanted == "number",
        DeValue::Boolean(_) => wanted == "boolean",
        DeValue::Datetime(_) => false,
        DeValue::Array(_) => wanted == "array",
        DeValue::Table(_) => wanted == "object",
    }
}

fn number_of(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(x) => x.as_str().parse().ok(),
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
        _ => None,
    }
}
