import { expect, test } from 'vitest'
import type { InstructionsFile } from '../../core/settings/project-instructions.ts'
import { newlyChangedInstructions } from './changed-instructions.ts'

const file = (text: string, path = 'AGENTS.md'): InstructionsFile => ({ path, bytes: text.length, digest: text, text })

const aRun = (id: string, files: readonly InstructionsFile[]) =>
  ({ id, profile: { workdir: '/', project_instructions: { names: ['AGENTS.md'], files } } }) as never

test('a change is warned of once for each run, and the next change again', async () => {
  let now: readonly InstructionsFile[] | null = [file('one')]
  const runtime = { readInstructions: async () => now }
  const [run, other] = [aRun('run_1', [file('one')]), aRun('run_2', [file('one')])]
  const changed = async (of = run) => (await newlyChangedInstructions(runtime, of)).map(({ code }) => code)
  expect(await changed()).toEqual([])
  now = [file('two')]
  expect(await changed()).toEqual(['instructions_changed'])
  expect(await changed()).toEqual([])
  expect(await changed(other)).toEqual(['instructions_changed'])
  now = []
  expect(await changed()).toEqual(['instructions_changed'])
  now = [file('one')]
  expect(await changed()).toEqual([])
  now = [file('one'), file('more', 'CLAUDE.md')]
  expect(await newlyChangedInstructions(runtime, run)).toMatchObject([{ files: ['CLAUDE.md'] }])
})

test('a host without the directory, without files or without a reader warns of nothing', async () => {
  const run = aRun('run_1', [file('one')])
  expect(await newlyChangedInstructions({ readInstructions: async () => null }, run)).toEqual([])
  expect(await newlyChangedInstructions({}, run)).toEqual([])
  const without = { id: 'run_1', profile: { workdir: '/' } } as never
  expect(await newlyChangedInstructions({ readInstructions: async () => [file('two')] }, without)).toEqual([])
})
