/** The words of PostgreSQL that SQLite spells differently. A connection has one writer, so it needs no lock. */
const WORDS: readonly (readonly [words: RegExp, sqlite: string])[] = [
  [/^LOCK TABLE .*/g, 'SELECT 1'],
  [/^SELECT pg_advisory_xact_lock.*/g, 'SELECT ?'],
  [/@(?=[a-z_])/g, ''],
  [/::\w+(?:\[\])?/g, ''],
  [/\s+FOR (?:UPDATE|SHARE)(?: OF \w+(?:, \w+)*)?(?: SKIP LOCKED)?/g, ''],
  [/= ANY\((\?\d*)\)/g, 'IN (SELECT value FROM json_each($1))'],
  [/\bstrpos\(/g, 'instr('],
  [/\bILIKE\b/g, 'LIKE'],
  [/\bleast\(/g, 'min('],
  [/\bgreatest\(/g, 'max('],
  [/\bLIMIT (\?\d*)/g, 'LIMIT coalesce($1, -1)'],
]

export function sqliteText(sql: string): string {
  return WORDS.reduce((text, [words, sqlite]) => text.replaceAll(words, sqlite), sql)
}
