import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { messageOf } from '../../src/core/errors.ts'
import { HELP_FLAG, OUTPUT_FLAG, parseFlags, RUN_FLAGS } from '../../src/hosts/command/flags.ts'
import { COMMANDS } from '../../src/hosts/entry/commands.ts'

const SOURCES = globSync('src/**/*.ts').filter(file => !file.endsWith('.test.ts') && !file.startsWith('src/testing/'))
const BELOW = SOURCES.filter(file =>
  /^src\/(core|ports|async|runtime|stores|models|tools|plugins|tasks|protocols)\//.test(file),
)
const COMMAND = /`holdpoint (?:-|[a-z]+)[^`]*`/
const FLAGS = new Set([...COMMANDS.flatMap(({ flags }) => flags), ...RUN_FLAGS, HELP_FLAG].map(({ name }) => name))

/** The lines that are no comments, as people see their text. */
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => !/^\s*(\/?\*|\/\/)/.test(line))
    .map(line => line.replaceAll('\\`', '`').replaceAll('\\"', '"'))

/** What is wrong with a command that a text names, by the parser that would read it; `null` if it would run. */
function faultOf(command: string): string | null {
  const [name = '', ...args] = command
    .replaceAll(/\$\{at\}$/g, '')
    .replaceAll(/\$\{[^}]*\}/g, 'X')
    .replaceAll(/"[^"]*"/g, 'TEXT')
    .split(/\s+/)
    .filter(word => word !== '')
  const known = COMMANDS.find(each => each.name === name)
  const [verb = ''] = args
  try {
    parseFlags([...(known?.flags ?? RUN_FLAGS), OUTPUT_FLAG, HELP_FLAG], known ? args : [name, ...args])
  } catch (thrown) {
    return messageOf(thrown)
  }
  if (!known) return /^[a-z]/.test(name) ? `there is no command ${name}` : null
  return known.words && /^[a-z]+$/.test(verb) && !known.words.includes(verb) ? `${name} has no ${verb}` : null
}

test('nothing below the hosts tells a reader to run a command of the command line', () => {
  const telling = BELOW.flatMap(file =>
    linesOf(file)
      .filter(line => COMMAND.test(line))
      .map(line => `${file}: ${line.trim()}`),
  )
  expect(BELOW.length).toBeGreaterThan(300)
  expect(telling).toEqual([])
})

test('each command that a text names can be run: it exists, and has the flags and words that are named', () => {
  const named = SOURCES.flatMap(file =>
    linesOf(file).flatMap(line =>
      [...line.matchAll(/`holdpoint (?!help|[a-z]+: )([^`]+)`/g)].map(([, command = '']) => ({ file, command })),
    ),
  )
  expect(named.length).toBeGreaterThan(100)
  expect(named.flatMap(({ file, command }) => faultOf(command)?.replace(/^/, `${file}: ${command}: `) ?? [])).toEqual(
    [],
  )
})

test('each option that a hint names is one of a command', () => {
  const named = SOURCES.flatMap(file =>
    linesOf(file)
      .filter(line => /\bhint\b.*['"`]/.test(line))
      .flatMap(line => [...line.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, flag = '']) => ({ file, flag }))),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ flag }) => !FLAGS.has(flag))).toEqual([])
})
