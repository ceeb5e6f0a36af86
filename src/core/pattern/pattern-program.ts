import type { PatternTree, Place } from './pattern-tree.ts'

/** One step of a match. Numbers are positions in the program. */
export type Instruction =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'place'; readonly holds: Place }
  | { readonly kind: 'jump'; readonly to: readonly number[] }
  | { readonly kind: 'found' }

/** A larger program would make each character of a text too expensive. */
export const MOST_INSTRUCTIONS = 5_000

/** How many instructions a tree needs; counts within counts multiply. */
export function sizeOf(tree: PatternTree): number {
  switch (tree.kind) {
    case 'one':
    case 'place':
      return 1
    case 'all':
      return sum(tree.parts)
    case 'any':
      return sum(tree.choices) + 2 * tree.choices.length
    case 'repeat':
      return (sizeOf(tree.part) + 2) * Math.max(tree.min + 1, tree.max ?? 0)
  }
}

function sum(trees: readonly PatternTree[]): number {
  return trees.reduce((all, each) => all + sizeOf(each), 0)
}

export function programOf(tree: PatternTree): readonly Instruction[] {
  const program: Instruction[] = []
  write(program, tree)
  return [...program, { kind: 'found' }]
}

function write(program: Instruction[], tree: PatternTree): void {
  if (tree.kind === 'one' || tree.kind === 'place') program.push(tree)
  else if (tree.kind === 'all') for (const part of tree.parts) write(program, part)
  else if (tree.kind === 'any') writeChoices(program, tree.choices)
  else writeRepeat(program, tree)
}

function writeChoices(program: Instruction[], choices: readonly PatternTree[]): void {
  const [begin, begins, ends]: [number, number[], number[]] = [program.length, [], []]
  program.push({ kind: 'jump', to: begins })
  for (const choice of choices) {
    begins.push(program.length)
    write(program, choice)
    ends.push(program.push({ kind: 'jump', to: [] }) - 1)
  }
  program[begin] = { kind: 'jump', to: begins }
  for (const end of ends) program[end] = { kind: 'jump', to: [program.length] }
}

function writeRepeat(program: Instruction[], { part, min, max }: Extract<PatternTree, { kind: 'repeat' }>): void {
  for (let count = 0; count < min; count += 1) write(program, part)
  if (max === null) writeEndless(program, part)
  else for (let count = min; count < max; count += 1) writeOptional(program, part)
}

function writeEndless(program: Instruction[], part: PatternTree): void {
  const begin = program.push({ kind: 'jump', to: [] }) - 1
  write(program, part)
  program.push({ kind: 'jump', to: [begin] })
  program[begin] = { kind: 'jump', to: [begin + 1, program.length] }
}

function writeOptional(program: Instruction[], part: PatternTree): void {
  const begin = program.push({ kind: 'jump', to: [] }) - 1
  write(program, part)
  program[begin] = { kind: 'jump', to: [begin + 1, program.length] }
}
