/** What is wrong with a snippet by itself, be it run or not. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Schema, Validator } from '@cfworker/json-schema'
import { type ParseError, parse as parseJsonc } from 'jsonc-parser'
import ts from 'typescript'
import { parseDocument } from 'yaml'
import { exchangesIn } from './play-page.ts'
import type { Snippet } from './snippets.ts'

const CHECKS: Readonly<Record<string, (snippet: Snippet) => readonly string[]>> = {
  sh: ({ text }) => shellFaults(text),
  console: snippet => exchangesIn(snippet).flatMap(({ command }) => shellFaults(command)),
  ts: ({ text }) => moduleFaults(text),
  js: ({ text }) => moduleFaults(text),
  yaml: ({ text }) => parseDocument(text).errors.map(({ message }) => message),
  json: jsonFaults,
  jsonc: jsonFaults,
  markdown: ({ saveAs }) => (saveAs === null ? ['It says no "Save this as `NAME`" before it.'] : []),
  text: () => [],
  // test/scenarios/server/proxies.test.ts plays them.
  nginx: () => [],
  caddyfile: () => [],
  // test/postgres/least-rights.test.ts plays them.
  sql: () => [],
}

export function syntaxFaults(snippet: Snippet): string[] {
  const check = CHECKS[snippet.language]
  const faults = check ? check(snippet) : [`It has no language of ${Object.keys(CHECKS).join(', ')}.`]
  return faults.map(fault => `${snippet.place}: ${fault}`)
}

function shellFaults(text: string): string[] {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
  return status === 0 ? [] : [stderr]
}

function moduleFaults(text: string): string[] {
  const options = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext }
  const { diagnostics = [] } = ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

/** The paragraph before a document says of which file it is. */
const SCHEMAS: readonly (readonly [named: RegExp, schema: string])[] = [
  [/`\.holdpoint\/config\.json`/, 'schemas/config.schema.json'],
  [/`\.holdpoint\/policy\.json`/, 'schemas/policy.schema.json'],
]

function jsonFaults({ language, text, lead }: Snippet): string[] {
  const errors: ParseError[] = []
  const options = { allowTrailingComma: language === 'jsonc', disallowComments: language === 'json' }
  const document = parseJsonc(text, errors, options) as unknown
  if (errors.length > 0)
    return errors.map(({ offset }) => `It is no ${language}, near "${text.slice(offset, offset + 30)}".`)
  return SCHEMAS.filter(([named]) => named.test(lead)).flatMap(([, file]) => {
    const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema
    const { valid, errors: faults } = new Validator(schema, '2020-12', false).validate(document)
    return valid ? [] : faults.map(({ instanceLocation, error }) => `${file}: ${instanceLocation}: ${error}`)
  })
}
