import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, type ServerProcess } from '../server/server-process.ts'
import { commandLineDoor } from './command-line-door.ts'
import { type Door, once, type Raised } from './door.ts'
import { libraryDoor } from './library-door.ts'
import { mcpDoor } from './mcp-door.ts'
import { restDoor } from './rest-door.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const NAMES = ['command line', 'library', 'REST', 'MCP'] as const
const PAIRS = NAMES.flatMap(raised => NAMES.map(decided => [raised, decided] as const))

let project: Project
let server: ServerProcess
let doors: readonly Door[]
beforeAll(async () => {
  project = await aProject({ script, policy: { default: 'prompt' } })
  server = await aServer(project)
  doors = [
    commandLineDoor(project),
    await libraryDoor(project),
    restDoor(server, await caller('rea')),
    await mcpDoor(server, await caller('mia')),
  ]
})
afterAll(async () => {
  await Promise.all((doors ?? []).map(door => door[Symbol.asyncDispose]()))
  await server?.[Symbol.asyncDispose]()
  await project?.[Symbol.asyncDispose]()
})

async function caller(person: string): Promise<{ person: string; token: string }> {
  return { person, token: (await project.holdpoint('tokens', 'add', person, '--role', 'operator')).stdout.trim() }
}

function doorNamed(name: string): Door {
  return doors.find(door => door.name === name) as Door
}

/** Once the run is at its end: the transcript, which is the same through every door. */
async function transcriptOf({ run_id, thread_id }: Raised): Promise<unknown> {
  await once(async () => (await server.send(`/v1/runs/${run_id}`)).json.termination)
  const [one, ...others] = (await Promise.all(doors.map(door => door.transcript(thread_id)))).filter(
    each => each !== null,
  )
  for (const other of others) expect(other).toEqual(one)
  return one
}

test.each(PAIRS)('raised by %s, decided by %s: one winner, one transcript, and every door tells', async (from, at) => {
  const before = await project.effects()
  const hold = await doorNamed(from).raise()
  const decider = doorNamed(at)
  await Promise.all(doors.map(door => door.shows(hold)))
  const told = Promise.all(doors.map(door => door.told(hold)))
  expect(await decider.decide(hold, 'approve')).toEqual({ won: true, winner: decider.person })
  for (const late of doors.filter(door => door !== decider))
    expect([late.name, await late.decide(hold, 'reject')]).toEqual([late.name, { won: false, winner: decider.person }])
  expect(await told).toEqual(doors.map(() => decider.person))
  expect(await transcriptOf(hold)).toMatchObject([
    { role: 'user', content: 'deploy' },
    { role: 'assistant', content: 'I will deploy.', tool_calls: [{ id: 'tc_1' }] },
    { role: 'tool' },
    { role: 'assistant', content: 'Deployed.' },
  ])
  expect(await project.effects()).toEqual([...before, 'applied'])
})

test('P2: of all doors at the same moment, one wins, and each is told the same name', async () => {
  const before = await project.effects()
  for (const from of doors) {
    const hold = await from.raise()
    const said = await Promise.all(doors.map(door => door.decide(hold, 'approve')))
    expect(said.filter(({ won }) => won)).toHaveLength(1)
    const winner = doors[said.findIndex(({ won }) => won)]?.person
    expect(said.map(each => each.winner)).toEqual(doors.map(() => winner))
    await transcriptOf(hold)
  }
  expect(await project.effects()).toEqual([...before, ...doors.map(() => 'applied')])
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})
