//! Arithmetic over parameter names.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed  { ("*" | "/") signed }
//! signed  = "-" signed | "+" signed | power
//! power   = atom [ "^" signed ]                      -x^2 is -(x^2), 2^-1 is 1/2, a^b^c is a^(b^c)
//! atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! Functions: `sqrt sin cos tan abs` of one number, `min max` of two. `pi` is a constant unless a parameter has that
//! name. The parser emits postfix code, so that evaluation needs no recursion; the parser's recursion depth is bounded.

use thiserror::Error;

/// Maximum nesting depth of parentheses, signs and powers.
const MAX_DEPTH: usize = 64;

/// Why a text is not a valid expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column {column}: {text}")]
pub struct ExpressionError {
    /// Position in characters, from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub text: String,
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Expression {
    code: Vec<Op>,
}

#[derive(Clone, Debug)]
enum Op {
    Number(f64),
    /// A name and its column.
    Name(String, usize),
    Negate,
    Call1(OfOne),
    Call2(OfTwo),
}

type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

const FUNCTIONS_OF_ONE: &[(&str, OfOne)] =
    &[("sqrt", libm::sqrt), ("sin", libm::sin), ("cos", libm::cos), ("tan", libm::tan), ("abs", libm::fabs)];
const FUNCTIONS_OF_TWO: &[(&str, OfTwo)] = &[("min", libm::fmin), ("max", libm::fmax)];

impl Expression {
    /// Parses an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser { chars: text.chars().collect(), at: 0, depth: 0, code: Vec::new() };
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self { code: parser.code }),
            Some(c) => Err(parser.error(format!("'{c}' is not expected here; expected an operator or the end"))),
        }
    }

    /// The names it uses, in order of appearance, each once. `pi` counts as a name only if `is_parameter` returns true
    /// for it.
    pub fn names(&self, is_parameter: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for op in &self.code {
            if let Op::Name(name, _) = op
                && (name != "pi" || is_parameter(name))
                && !out.contains(&name.as_str())
            {
                out.push(name);
            }
        }
        out
    }

    /// The value of the expression for given values of its names. A name without value is an error.
    pub fn value(&self, value_of: impl Fn(&str) -> Option<f64>) -> Result<f64, ExpressionError> {
        let mut stack: Vec<f64> = Vec::new();
        // The parser emits every operand before its operator, so each pop finds a value.
        let pop = |stack: &mut Vec<f64>| stack.pop().unwrap_or(f64::NAN);
        for op in &self.code {
            let result = match op {
                Op::Number(x) => *x,
                Op::Name(name, column) => match value_of(name) {
                    Some(x) => x,
                    None if name == "pi" => std::f64::consts::PI,
                    None => {
                        let text = format!("there is no parameter '{name}'");
                        return Err(ExpressionError { column: *column, text });
                    }
                },
                Op::Negate => -pop(&mut stack),
                Op::Call1(f) => f(pop(&mut stack)),
                Op::Call2(f) => {
                    let right = pop(&mut stack);
                    f(pop(&mut stack), right)
                }
            };
            stack.push(result);
        }
        Ok(pop(&mut stack))
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    code: Vec<Op>,
}

impl Parser {
    fn sum(&mut self) -> Result<(), ExpressionError> {
        self.product()?;
        while let Some(op) = self.take_one_of(&['+', '-']) {
            self.product()?;
            self.code.push(Op::Call2(if op == '+' { |a, b| a + b } else { |a, b| a - b }));
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        self.signed()?;
        while let Some(op) = self.take_one_of(&['*', '/']) {
            self.signed()?;
            self.code.push(Op::Call2(if op == '*' { |a, b| a * b } else { |a, b| a / b }));
        }
        Ok(())
    }

    /// Every recursion of the grammar passes through here, so the depth is counted here.
    fn signed(&mut self) -> Result<(), ExpressionError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(format!("nested deeper than {MAX_DEPTH}; simplify it")));
        }
        self.depth += 1;
        match self.take_one_of(&['+', '-']) {
            Some('-') => {
                self.signed()?;
                self.code.push(Op::Negate);
            }
            Some(_) => self.signed()?,
            None => self.power()?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.atom()?;
        if self.take_one_of(&['^']).is_some() {
            self.signed()?;
            self.code.push(Op::Call2(libm::pow));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.expect(')')
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(self.error(format!("'{c}' is not expected here; expected a number, a name or '('"))),
            None => Err(self.error("the expression ends too early; expected a number, a name or '('".into())),
        }
    }

    fn number(&mut self) -> Result<(), ExpressionError> {
        let start = self.at;
        let mut end = start;
        let digits = |mut i: usize| {
            while self.chars.get(i).is_some_and(char::is_ascii_digit) {
                i += 1;
            }
            i
        };
        end = digits(end);
        if self.chars.get(end) == Some(&'.') {
            end = digits(end + 1);
        }
        if matches!(self.chars.get(end), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.chars.get(end + 1), Some('+' | '-')));
            let exponent = digits(end + 1 + sign);
            // `2e` is the number 2 followed by a name, which the caller rejects with a column.
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let text: String = self.chars[start..end].iter().collect();
        match text.parse::<f64>() {
            Ok(x) => {
                self.at = end;
                self.code.push(Op::Number(x));
                Ok(())
            }
            Err(_) => Err(self.error(format!("'{text}' is not a number"))),
        }
    }

    fn name(&mut self) -> Result<(), ExpressionError> {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
            self.at += 1;
        }
        let name: String = self.chars[start..self.at].iter().collect();
        if self.peek() != Some('(') {
            self.code.push(Op::Name(name, start + 1));
            return Ok(());
        }
        let of_one = FUNCTIONS_OF_ONE.iter().find(|(n, _)| *n == name);
        let of_two = FUNCTIONS_OF_TWO.iter().find(|(n, _)| *n == name);
        let op = match (of_one, of_two) {
            (Some((_, f)), _) => Op::Call1(*f),
            (_, Some((_, f))) => Op::Call2(*f),
            (None, None) => {
                let known = "sqrt, sin, cos, tan, abs, min, max";
                let text = format!("there is no function '{name}'; there are {known}");
                return Err(ExpressionError { column: start + 1, text });
            }
        };
        self.expect('(')?;
        self.sum()?;
        if matches!(op, Op::Call2(_)) {
            self.expect(',')?;
            self.sum()?;
        }
        self.code.push(op);
        self.expect(')')
    }

    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn take_one_of(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.peek().filter(|c| wanted.contains(c));
        self.at += usize::from(found.is_some());
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), ExpressionError> {
        match self.take_one_of(&[wanted]) {
            Some(_) => Ok(()),
            None => Err(self.error(format!("expected '{wanted}'"))),
        }
    }

    fn error(&self, text: String) -> ExpressionError {
        ExpressionError { column: self.at + 1, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<f64, ExpressionError> {
        Expression::parse(text)?.value(|name| (name == "l").then_some(3.0))
    }

    #[test]
    fn arithmetic_follows_the_usual_precedence() {
        let cases = [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("8 - 2 - 1", 5.0),
            ("8 / 2 / 2", 2.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("--2", 2.0),
            ("l^2/12", 0.75),
            ("1.5e1 + .5", 15.5),
            ("min(l, 2) + max(l, 2)", 5.0),
            ("abs(-l) + sqrt(4)", 5.0),
            ("cos(pi)", -1.0),
        ];
        // Every value is exact in binary except cos(pi), whose argument is off by rounding of second order.
        cases.iter().for_each(|(text, expected)| assert_eq!(value(text), Ok(*expected), "{text}"));
    }

    #[test]
    fn mistakes_carry_their_column() {
        let cases =
            [("", 1), ("1 +", 4), ("1 + * 2", 5), ("(1", 3), ("2 m", 3), ("min(1)", 6), ("exp(1)", 1), ("1 + m", 5)];
        cases.iter().for_each(|(text, column)| assert_eq!(value(text).unwrap_err().column, *column, "{text}"));
    }

    #[test]
    fn depth_is_bounded_and_length_is_not() {
        assert!(value(&"(".repeat(100_000)).unwrap_err().text.contains("deeper"));
        assert!(value(&"-".repeat(100_000)).unwrap_err().text.contains("deeper"));
        assert_eq!(value(&format!("1{}", "+1".repeat(100_000))), Ok(100_001.0));
    }

    #[test]
    fn pi_is_a_name_only_when_somebody_says_so() {
        let e = Expression::parse("pi * l + l").unwrap();
        assert_eq!(e.names(|_| false), ["l"]);
        assert_eq!(e.names(|name| name == "pi"), ["pi", "l"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_a_value_or_a_column(text in "[-+*/^(),.0-9a-l π]{0,40}") {
            if let Err(e) = value(&text) {
                prop_assert!(e.column >= 1 && e.column <= text.chars().count() + 1);
            }
        }
    }
}
