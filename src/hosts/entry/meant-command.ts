/** A word that was meant as a command never reaches a model as a prompt: that would start an agent, and exit with 0. */

import { RefusedError } from '../../core/errors.ts'
import { editDistance, nearestWord } from '../../core/text/edit-distance.ts'
import type { Command } from '../command/command.ts'
import { type Given, RUN_FLAGS } from '../command/flags.ts'
import { shellWord } from '../process/shell-word.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { COMMANDS, commandNamed } from './commands.ts'

/**
 * Words that people take for commands, each with the arguments that do it; `null` if no command does it today. Later
 * versions may make commands of them, so they are no prompts now.
 */
const RESERVED: Readonly<Record<string, string | null>> = {
  agent: 'agents',
  config: null,
  continue: '-c CHECKPOINT',
  create: 'new NAME',
  delete: 'prune --older-than 90d',
  deny: 'reject HOLD',
  export: 'checkpoint export CHECKPOINT --out FILE',
  fork: '-c CHECKPOINT --fork',
  history: 'runs',
  import: '-c FILE',
  install: null,
  kill: 'cancel RUN',
  list: 'runs',
  log: 'audit',
  login: null,
  logout: null,
  logs: 'tasks logs TASK',
  ls: 'runs',
  pending: 'holds',
  ps: 'runs',
  remove: 'prune --older-than 90d',
  resume: '-c CHECKPOINT',
  rm: 'prune --older-than 90d',
  run: '"what to do"',
  send: '-c CHECKPOINT "what to say"',
  scaffold: 'new NAME',
  server: 'serve',
  session: 'threads show SESSION',
  sessions: 'runs',
  setup: 'init',
  start: '"what to do"',
  status: 'runs',
  stop: 'cancel RUN',
  trust: null,
  uninstall: null,
  update: null,
  upgrade: null,
  version: '--version',
  wait: 'tasks wait TASK',
  watch: 'holds --watch',
  worker: 'work',
}

/** Fewer letters than these are near to too many words. */
const SHORTEST_NEAR = 5

/** Ids as commands print them, and as models name their calls. */
const ID = /^(?:hold|run|th|cp|task|grant|bundle|tc|call|toolu)_\w*\d\w*$/

/** @throws RefusedError `misplaced_command`, `unknown_command` or `unquoted_prompt`; words behind `--` are a prompt. */
export function refuseMeantCommand(given: Given): void {
  const { words, literal } = given
  const [first] = words
  if (first === undefined || literal) return
  if (commandNamed(first)) throw argumentRefusals.misplaced(first)
  const problem = problemWith(words, given.has('checkpoint'))
  if (problem) throw problem
  if (words.length > 1) throw argumentRefusals.unquoted(words.length, shellWord(words.join(' ')))
}

/** `holdpoint frobnicate`: a word far from every command, and no flag that says that a run is meant. */
export function mayBeCommand({ words, literal, has }: Given): boolean {
  const [word = '', ...more] = words
  return more.length === 0 && !literal && /^[A-Za-z][\w-]*$/.test(word) && !RUN_FLAGS.some(({ name }) => has(name))
}

/** With `-c` a single word is an answer, and any word may be one. */
function problemWith(words: readonly string[], isAnswer: boolean): RefusedError | null {
  const [first = '', second] = words
  if (second === undefined) return isAnswer ? null : (wordProblem(first, words) ?? phraseProblem(first))
  return wordProblem(first, words)
}

function wordProblem(first: string, words: readonly string[]): RefusedError | null {
  if (ID.test(first)) return bareId(first)
  if (Object.hasOwn(RESERVED, first)) return reserved(first, first)
  const near = commandNear(first)
  if (near !== null) return unknown(first, [near, ...words.slice(1)])
  const meant = reservedNear(first)
  return meant === null ? null : reserved(first, meant)
}

/** More letters than one would refuse prompts: `report` is two from `export`. */
function reservedNear(word: string): string | null {
  const near = (name: string) => name.length >= SHORTEST_NEAR && editDistance(word.toLowerCase(), name) <= 1
  return Object.keys(RESERVED).find(near) ?? null
}

/** A command in quotes: its name, or one near to it, and an id. */
function phraseProblem(text: string): RefusedError | null {
  const words = text.trim().split(/\s+/)
  const [first = '', second = ''] = words
  if (words.length !== 2 || !ID.test(second)) return null
  return commandNamed(first) ? unknown(text, words) : wordProblem(first, words)
}

function commandNear(word: string): string | null {
  return nearestWord(word, ['help', ...COMMANDS.map(({ name }) => name)])
}

/** `holdpoint tasks shwo`: a word of a command that is nearly one of those that it knows. @throws RefusedError `unknown_command` */
export function refuseMeantWord({ name, words = [] }: Command, given: Given): void {
  const [first] = given.words
  if (first === undefined || words.includes(first)) return
  const near = nearestWord(first, words)
  if (near !== null) throw unknown(`${name} ${first}`, [name, near, ...given.words.slice(1)])
}

/** `holdpoint help aprove`. @throws RefusedError `unknown_command` */
export function unknownTopic(topic: string): RefusedError {
  const near = commandNear(topic)
  const written = `${JSON.stringify(topic)} is no command of holdpoint, so there is no help for it.`
  const hint = near === null ? '`holdpoint --help` lists the commands.' : `Did you mean \`holdpoint help ${near}\`?`
  return new RefusedError('unknown_command', written, { hint })
}

function unknown(written: string, meant: readonly string[]): RefusedError {
  return argumentRefusals.unknownWord2(written, meant.map(shellWord))
}

function reserved(word: string, meant: string): RefusedError {
  const today = RESERVED[meant]
  const instead = today ? `\`holdpoint ${today}\` comes near to it` : '`holdpoint --help` lists the commands'
  return argumentRefusals.unknownWord3(word, instead)
}

function bareId(id: string): RefusedError {
  const instead = id.startsWith('cp_') ? `holdpoint -c ${id}` : `holdpoint show ${id}`
  return argumentRefusals.idAsCommand(id, instead)
}
