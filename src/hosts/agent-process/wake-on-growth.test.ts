import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defineAgent } from '../agents/define-agent.ts'
import { type App, openApp } from '../compose/compose.ts'
import { wakeOnGrowth } from './presence-row.ts'

async function anApp(): Promise<App> {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-ring-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'turns.json'), '["Hello."]')
  const agents = [defineAgent({ name: 'support', model: 'script:turns.json' })]
  return openApp({ store: 'memory:', agents, directory, env: {} })
}

test('an agent at rest is woken by what its own session is told, and not by what another one is', async () => {
  await using app = await anApp()
  const { holdpoint } = app
  const own = await holdpoint.start({ agent: 'support', input: 'mine' })
  const other = await holdpoint.start({ agent: 'support', input: 'theirs' })
  let rings = 0
  using _watch = wakeOnGrowth(app, own.thread_id, () => {
    rings += 1
  })
  // The first look learns where the session stands.
  await holdpoint.advance(other.id)
  await expect.poll(() => rings).toBe(1)
  const third = await holdpoint.start({ agent: 'support', input: 'theirs, too' })
  await holdpoint.advance(third.id)
  expect(rings).toBe(1)
  await holdpoint.advance(own.id)
  await expect.poll(() => rings).toBeGreaterThan(1)
})
