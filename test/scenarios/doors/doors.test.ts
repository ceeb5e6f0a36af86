import { afterAll, beforeAll, expect, test } from 'vitest'
import { OpenDoors } from './open-doors.ts'

const NAMES = ['command line', 'library', 'REST', 'MCP'] as const
const PAIRS = NAMES.flatMap(raised => NAMES.map(decided => [raised, decided] as const))

let doors: OpenDoors
beforeAll(async () => {
  doors = await OpenDoors.open()
})
afterAll(async () => {
  await doors?.[Symbol.asyncDispose]()
})

test.each(PAIRS)('raised by %s, decided by %s: one winner, one transcript, and every door tells', (from, at) =>
  doors.story(from, at),
)

test('P2: of all doors at the same moment, one wins, and each is told the same name', async () => {
  const before = await doors.project.effects()
  for (const from of doors.all) await doors.race(from)
  expect(await doors.project.effects()).toEqual([...before, ...doors.all.map(() => 'applied')])
  expect((await doors.project.holdpoint('audit', 'verify')).exit).toBe(0)
})
