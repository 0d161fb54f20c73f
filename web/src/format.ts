// Formatting of numbers: a few significant digits, followed by the unit.

/** `digits` significant digits; powers of ten as in `3.2e-4` where zeros would be hard to count. */
export function number(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "not a number";
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) {
    // `toPrecision` alone would write 12345 as 1.23e+4.
    const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return minus(value.toFixed(Math.min(places, 12)));
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e") as [string, string];
  return minus(`${mantissa}e${exponent.replace("+", "")}`);
}

/** Number and unit. */
export function quantity(value: number, unit: string, digits = 3): string {
  return unit === "" ? number(value, digits) : `${number(value, digits)} ${unit}`;
}

/** A number written by a person, such as a bound: without added zeros. */
export function stated(value: number, unit: string): string {
  const size = Math.abs(value);
  const text =
    Number.isFinite(value) && size >= 1e-4 && size < 1e5
      ? minus(trimmed(value))
      : number(value, 4).replace(/\.?0+e/, "e");
  return unit === "" ? text : `${text} ${unit}`;
}

/** A time span in the unit that needs no power of ten: `1 ms`, `0.25 s`, `62.5 µs`. */
export function span(seconds: number, digits = 4): string {
  if (!Number.isFinite(seconds)) return `${number(seconds)} s`;
  const [factor, unit] =
    seconds === 0 || seconds >= 0.1
      ? [1, "s"]
      : seconds >= 1e-4
        ? [1e3, "ms"]
        : seconds >= 1e-7
          ? [1e6, "µs"]
          : [1e9, "ns"];
  return `${trimmed(seconds * factor, digits)} ${unit}`;
}

export function step(seconds: number | null): string {
  return seconds === null ? "adaptive" : span(seconds);
}

/** How many times faster than real time. */
export function factor(value: number): string {
  return value >= 100 ? `${Math.round(value).toLocaleString("en-GB").replaceAll(",", " ")}×` : `${number(value, 2)}×`;
}

export function count(value: number): string {
  return value.toLocaleString("en-GB").replaceAll(",", " ");
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Without trailing zeros. */
function trimmed(value: number, digits = 4): string {
  return String(Number(value.toPrecision(digits)));
}

/** Replaces the hyphen by a minus sign, as wide as a plus. */
function minus(text: string): string {
  return text.startsWith("-") ? `−${text.slice(1)}` : text;
}

/** With a capital letter. */
export function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A metric's name as words: `position_error` → `position error`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
