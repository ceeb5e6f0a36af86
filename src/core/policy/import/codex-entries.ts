import type { Verdict } from '../policy.ts'
import { commandEntries, joined, leftOut, type Translated } from './entries.ts'

const VERDICTS: Readonly<Record<string, Verdict>> = { allow: 'auto', prompt: 'prompt', forbidden: 'never' }
const MOST_CHOICES = 64

/** The `prefix_rule(…)` of a rules file of Codex. The file is a program; calls with literal arguments alone are read. */
export function codexEntries(text: string): Translated {
  const source = text.replaceAll(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#[^\n]*/g, '$1')
  return joined([
    ...[...source.matchAll(/\bprefix_rule\s*\(/g)].map(({ index, 0: begin }) =>
      ruleOf(source, index, index + begin.length),
    ),
    ...[...source.matchAll(/^(?!prefix_rule\b)\w+\s*\(.*/gm)].map(({ 0: line }) => leftOut(line.trim(), OTHER)),
  ])
}

const OTHER = 'only prefix_rule is read'

/** The settings for approvals in `config.toml` of Codex: none of them has an equal in a policy. */
export function codexSettings(text: string): Translated {
  const lines = [...text.matchAll(/^\s*(approval_policy|sandbox_mode|trust_level|network_access)\s*=.*$/gm)]
  return joined(lines.map(({ 0: line, 1: key = '' }) => leftOut(line.trim(), WHY_NOT[key] ?? OTHER)))
}

const WHY_NOT: Readonly<Record<string, string>> = {
  approval_policy: '"default" says it here: "prompt" asks about all that no rule names',
  sandbox_mode: 'no sandbox is set up by a policy',
  network_access: 'no sandbox is set up by a policy',
  trust_level: 'here a person is asked about a project that starts programs',
}

function ruleOf(source: string, begin: number, at: number): Translated {
  const [body, end] = callBody(source, at)
  const written = source.slice(begin, end).replaceAll(/\s+/g, ' ')
  const pattern = argument(body, 'pattern')
  const decision = argument(body, 'decision') ?? '"allow"'
  const choices = pattern === null ? null : choicesIn(pattern)
  const verdict = VERDICTS[literal(decision) ?? '']
  if (choices === null || verdict === undefined) return leftOut(written, 'its arguments are no plain texts')
  const commands = choices.reduce<readonly string[]>(
    (all, words) => all.flatMap(before => words.map(word => (before === '' ? word : `${before} ${word}`))),
    [''],
  )
  if (commands.length > MOST_CHOICES || commands.some(command => /[*"'\\]/.test(command)))
    return leftOut(written, 'it has too many forms, or words that are patterns here')
  return { entries: commands.flatMap(command => commandEntries(written, command, verdict)), left_out: [] }
}

const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y

/** The text between the brackets, and the end of the call. */
function callBody(source: string, begin: number): readonly [body: string, end: number] {
  let depth = 1
  let at = begin
  while (at < source.length && depth > 0) {
    LITERAL.lastIndex = at
    const text = LITERAL.exec(source)
    const character = source[at] ?? ''
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    at += text ? text[0].length : 1
  }
  return [source.slice(begin, at - 1), at]
}

/** The value of an argument by name, as it is written. A list may hold lists. */
function argument(body: string, name: string): string | null {
  const match = new RegExp(
    `(?:^|,)\\s*${name}\\s*=\\s*(\\[(?:[^\\[\\]]|\\[[^\\[\\]]*\\])*\\]|"[^"\\n]*"|'[^'\\n]*')`,
  ).exec(body)
  return match?.[1] ?? null
}

function literal(written: string): string | null {
  return /^(["'])([^\\]*)\1$/.exec(written.trim())?.[2] ?? null
}

/** The alternatives for each word of a command; `null` if they are not literal. */
function choicesIn(pattern: string): readonly (readonly string[])[] | null {
  const items = pattern.slice(1, -1).match(/\[[^\]]*\]|"[^"]*"|'[^']*'|[^\s,]+/g) ?? []
  const choices = items.map(item => {
    const texts = item.startsWith('[') ? (item.match(/"[^"]*"|'[^']*'/g) ?? []) : [item]
    const words = texts.map(literal)
    return words.includes(null) || words.length === 0 ? null : words.filter(word => word !== null)
  })
  return choices.length === 0 || choices.includes(null) ? null : choices.filter(words => words !== null)
}
