import { afterAll, beforeAll, expect, test } from 'vitest'
import { OpenDoors } from '../../scenarios/doors/open-doors.ts'
import { agUiDoor } from './ag-ui-door.ts'
import { aiSdkDoor } from './ai-sdk-door.ts'

const OWN = ['command line', 'library', 'REST', 'MCP']
const OTHERS = ['AI SDK', 'AG-UI']
const ALL = [...OWN, ...OTHERS]
/** Those of our own alone are in `npm test`. */
const PAIRS = ALL.flatMap(from => ALL.map(at => [from, at] as const)).filter(pair =>
  pair.some(name => OTHERS.includes(name)),
)

let doors: OpenDoors
beforeAll(async () => {
  doors = await OpenDoors.open()
  doors.all.push(aiSdkDoor(doors.server, await doors.bearer('sia')), agUiDoor(doors.server, await doors.bearer('gus')))
})
afterAll(async () => {
  await doors?.[Symbol.asyncDispose]()
})

test.each(PAIRS)('raised by %s, decided by %s: one winner, one transcript, and every door tells', (from, at) =>
  doors.story(from, at),
)

test('P2: of all six doors at the same moment, one wins, and each is told the same name', async () => {
  const before = await doors.project.effects()
  for (const from of doors.all) await doors.race(from)
  expect(await doors.project.effects()).toEqual([...before, ...doors.all.map(() => 'applied')])
})
