import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Schema as JsonSchema, Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPolicy } from '../../src/core/policy/read-policy.ts'
import type { Json } from '../../src/core/text/json.ts'
import { readMarkdownAgent } from '../../src/hosts/agents/read-markdown-agent.ts'
import { readSettingsFile } from '../../src/hosts/project/settings-file.ts'
import { readUserSettings } from '../../src/hosts/project/user-settings.ts'
import { runs } from '../runs.ts'
import { nearly, type Schema } from './schema-arbitrary.ts'

let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'holdpoint-written-'))
  mkdirSync(join(home, '.config/holdpoint'), { recursive: true })
})
afterAll(() => rmSync(home, { recursive: true }))

function written(name: string, text: string): string {
  const path = join(home, name)
  writeFileSync(path, text)
  return path
}

const READERS: Readonly<Record<string, (document: unknown) => unknown>> = {
  config: document => readSettingsFile(written('config.json', JSON.stringify(document)), { what: 'The configuration' }),
  'user-config': document => {
    written('.config/holdpoint/config.json', JSON.stringify(document))
    return readUserSettings({ HOME: home })
  },
  policy: document => readPolicy(document as Json, 'policy.json'),
  // Front matter that is empty is none.
  agent: document => readMarkdownAgent(written('one.md', `---\n${JSON.stringify(document ?? [])}\n---\nDo it.`)),
}

/** Settings that are fine one by one, and cannot hold together. */
const TOGETHER =
  /there is nobody in|people must approve|approves what nobody decided|it has two tools named|there is no address for|mails have links|nobody would get a mail|with a time zone|effects\.hosts\.\d+ m/

test.each(Object.keys(READERS))('the reader and the schema of a %s agree on any document', async name => {
  const schema = JSON.parse(readFileSync(resolve(import.meta.dirname, `../../schemas/${name}.schema.json`), 'utf8'))
  const validator = new Validator(schema as JsonSchema, '2020-12')
  let fitting = 0
  await fc.assert(
    fc.asyncProperty(nearly(schema as Schema), async document => {
      const { valid } = validator.validate(document)
      fitting += valid ? 1 : 0
      const fault = await faultOf(name, document)
      if (valid && fault !== null) expect(fault).toMatch(TOGETHER)
      if (!valid) expect(fault, `nothing wrong with ${JSON.stringify(document)}`).not.toBe(null)
    }),
    { numRuns: RUNS },
  )
  // The more keys a document may have, the fewer of those with a fault here and there are right.
  expect(fitting).toBeGreaterThan(RUNS / 40)
  expect(fitting).toBeLessThan(RUNS - RUNS / 40)
})

const RUNS = runs(1000)

async function faultOf(name: string, document: unknown): Promise<string | null> {
  try {
    await READERS[name]?.(document)
    return null
  } catch (thrown) {
    return (thrown as Error).message
  }
}
