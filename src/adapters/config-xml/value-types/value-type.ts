export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly wanted: string };

export interface ValueType<T> {
  /** Human-readable description, such as "whole number from 1 to 200". */
  readonly label: string;
  /** Content of an xs:simpleType that allows the same values, or slightly more. */
  readonly xsd: string;
  /** All possible values, if there are only a few. */
  readonly choices?: readonly string[];
  /** Whether a blank optional attribute of this type is an absent one, as the reference systems write it. */
  readonly isBlankAbsent?: boolean;
  parse(text: string): Parsed<T>;
}

export const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const invalid = (wanted: string): { ok: false; wanted: string } => ({ ok: false, wanted });

export const XSD_STRING = '<xs:restriction base="xs:string"/>';

export const toXsdPattern = (regex: string): string =>
  `<xs:restriction base="xs:string"><xs:pattern value="${regex}"/></xs:restriction>`;

/** A list of values of one type, separated by spaces, commas or pipes. */
export function listOf<T>(item: ValueType<T>): ValueType<readonly T[]> {
  return {
    label: `list, separated by spaces, commas or \`|\`, of: ${item.label}`,
    xsd: XSD_STRING,
    parse: (value) => {
      const items: T[] = [];
      for (const part of value.split(/[\s,|]+/)) {
        if (part === '') continue;
        const parsed = item.parse(part);
        if (!parsed.ok) return invalid(`${parsed.wanted} (found '${part.slice(0, 60)}')`);
        items.push(parsed.value);
      }
      return ok(items);
    },
  };
}

export const token = (label: string, regex: RegExp, normalize: (value: string) => string): ValueType<string> => ({
  label,
  xsd: XSD_STRING,
  parse: (value) => (regex.test(value.trim()) ? ok(normalize(value.trim())) : invalid(label)),
});

export const toLowerCase = (value: string): string => value.toLowerCase();
