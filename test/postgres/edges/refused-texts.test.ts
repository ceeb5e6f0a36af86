import { afterAll, expect, test } from 'vitest'
import { aProject } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const STORES: readonly (readonly [name: string, url: string | null])[] = [
  ['a file', null],
  ...('missing' in database ? [] : [['PostgreSQL', `${database.url}?schema=texts`] as const]),
]

test.each(STORES)(
  'a message to a server whose id no store can keep is refused by its field, and one whose text has such a character is taken: %s',
  async (_name, url) => {
    await using project = await aProject({ script: ['Hello.'], ...(url && { env: { HOLDPOINT_STORE: url } }) })
    await using server = await aServer(project, '--no-work')
    const say = (id: string, text: string) =>
      server.fetch('/api/chat', {
        body: { id: 'chat', messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] },
      })
    for (const [id, problem] of [
      ['a\0b', 'The input_id has the character U+0000'],
      ['a\ud83d', 'its inputId is no text'],
    ] as const) {
      const refused = await say(id, 'go')
      expect(refused.status).toBe(422)
      expect(await refused.text()).toContain(problem)
    }
    const runs = await server.send('/v1/runs')
    expect(runs.json.runs).toEqual([])
    const taken = await say('u1', 'a\0b\ud83d')
    await taken.body?.cancel()
    expect(taken.status).toBe(200)
    const [run] = (await server.send('/v1/runs')).json.runs
    const said = await server.send(`/v1/threads/${run.thread_id}/messages`)
    expect(said.json.messages[0]).toMatchObject({ content: 'a\0b\ufffd' })
  },
)
