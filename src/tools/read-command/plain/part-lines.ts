import type { PartLine } from '../../../core/policy/permit-parts.ts'
import { runsCode } from '../programs/code-arguments.ts'
import { usesOf } from '../programs/programs.ts'
import { readShellArguments } from '../programs/shell-arguments.ts'
import { literalWord } from '../text/read-word.ts'
import { firstOutside, MAY_CLIMB, type PlainValue, type ReadingPlace } from './outside-paths.ts'

const MOST_LINES = 32

/** Each line that the command may turn out to be; `null` if one holds unknown text, or what may become an option. */
export function linesOf(values: readonly PlainValue[], place: ReadingPlace): readonly PartLine[] | null {
  let lines: (readonly string[])[] = [[]]
  for (const value of values) {
    if (!value || value.some(({ text, isPattern }) => isPattern && (!/^[\w./]/.test(text) || MAY_CLIMB.test(text))))
      return null
    lines = lines.flatMap(line => value.map(({ text }) => [...line, text]))
    if (lines.length > MOST_LINES) return null
  }
  const found = lines.flatMap((words): PartLine[] => {
    const named = wordsToName(words)
    return named === null ? [] : [{ words, named, outside: words.slice(1).filter(word => mayLeadOut(word, place)) }]
  })
  return found.length === lines.length ? found : null
}

/** Somewhere in it a path from the root, from a home or upwards begins, or the name of a file with more words. */
const LEADS_OUT = /(?:^|[^\w./-]|^-[A-Za-z])\/|(?:^|[^\w])~|(?:^|[^\w.])\.\.(?:\/|$)|^@(?![\w-]+\/)|file:/i

function mayLeadOut(word: string, place: ReadingPlace): boolean {
  if (LEADS_OUT.test(word.replace(/\b(?!file)[a-z]+:\/\//gi, ''))) return true
  const values = [word, ...word.split('=').slice(1)].filter(each => !/\s/.test(each))
  return (
    firstOutside(
      values.map(text => [{ text, isPattern: false }]),
      place,
    ) !== null
  )
}

/** Programs that run the program named by their next word, and nothing else. */
const RUNNERS = /^(?:npx|bunx|pnpx|uvx)$/

/**
 * How many of the first words a pattern must name, without a star, to permit no more than its text: everything a
 * program runs must be named. `null`: no pattern may permit them.
 */
function wordsToName(words: readonly string[]): number | null {
  if (!isPlainProgram(words[0] ?? '') || words.some(turnsBack)) return null
  if (usesOf(words).every(({ role }) => runsNothingElse(role, words))) return 0
  return RUNNERS.test(words[0] ?? '') && /^[^-]/.test(words[1] ?? '') ? 2 : words.length
}

/** A rule may permit `bash scripts/build.sh` as it may permit a program. */
function runsNothingElse(role: string, [program = '', ...operands]: readonly string[]): boolean {
  const words = operands.map(literalWord)
  if (role === 'code') return !runsCode(program, words)
  if (role === 'shell') return readShellArguments(program, words, []).file === (operands[0] ?? '')
  return role === 'inert' || role === 'unknown'
}

/** A name with white space in it would read as several words; `~/x` and `A=1` are more than names. */
function isPlainProgram(program: string): boolean {
  return /^[^\s=~%]+$/u.test(program)
}

/** `build/../x` reads as if it lay below `build`, and would be permitted by patterns that mean what lies there. */
function turnsBack(word: string): boolean {
  const steps = word.split('/').filter(step => step !== '' && step !== '.')
  return steps.some((step, at) => step === '..' && at > 0 && steps[at - 1] !== '..')
}
