/**
 * Regular expressions of projects and models. They run in time that grows with the text, and not with what the expression
 * could try: `(a+)+$` is read as a set of places in it, all at once.
 */
import { messageOf } from '../errors.ts'
import { type Instruction, MOST_INSTRUCTIONS, programOf, sizeOf } from './pattern-program.ts'
import { IrregularError, readTree } from './read-tree.ts'

/** A pattern that may be tried on any text. */
export interface Pattern {
  readonly test: (text: string) => boolean
}

/** Why a pattern cannot be run so. `isIrregular`: JavaScript takes it, and could take for ever over it. */
export interface PatternFault {
  readonly fault: string
  readonly isIrregular: boolean
}

/** `source` is read as JavaScript reads it with the flag u. */
export function readPattern(source: string): Pattern | PatternFault {
  try {
    new RegExp(source, 'u')
    const tree = readTree(source)
    const size = sizeOf(tree)
    if (size > MOST_INSTRUCTIONS)
      return { fault: `it counts too far: ${size} steps, and ${MOST_INSTRUCTIONS} are possible`, isIrregular: true }
    const program = programOf(tree)
    return { test: text => isIn(program, text) }
  } catch (thrown) {
    return { fault: messageOf(thrown), isIrregular: thrown instanceof IrregularError }
  }
}

/** Each position in the program is reached once for each character, however many ways lead there. */
function isIn(program: readonly Instruction[], text: string): boolean {
  let before: string | null = null
  let waiting: readonly number[] = []
  for (const after of text) {
    const here = reached(program, [0, ...waiting], [before, after])
    if (here === null) return true
    waiting = here.filter(at => fits(program[at], after)).map(at => at + 1)
    before = after
  }
  return reached(program, [0, ...waiting], [before, null]) === null
}

function fits(instruction: Instruction | undefined, character: string): boolean {
  return instruction?.kind === 'one' && instruction.fits(character)
}

/** The characters around a place in the text. */
type Sides = readonly [before: string | null, after: string | null]

/** The places that wait for a character; `null` if the pattern is found. */
function reached(program: readonly Instruction[], from: readonly number[], sides: Sides): readonly number[] | null {
  const places = new Set(from)
  const waiting: number[] = []
  for (const at of places) {
    const instruction = program[at]
    if (!instruction || instruction.kind === 'found') return null
    if (instruction.kind === 'one') waiting.push(at)
    else for (const to of onwards(instruction, at, sides)) places.add(to)
  }
  return waiting
}

/** The places to which a step leads that reads no character. */
function onwards(
  instruction: Extract<Instruction, { kind: 'jump' | 'place' }>,
  at: number,
  [before, after]: Sides,
): readonly number[] {
  if (instruction.kind === 'jump') return instruction.to
  return instruction.holds(before, after) ? [at + 1] : []
}
