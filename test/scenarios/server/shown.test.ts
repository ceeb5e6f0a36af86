/** P10: how much of a hold its decider had in view is on record, and nothing more than that. */
import { expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, type ServerProcess, TOKEN } from './server-process.ts'

const calls = [effect('tc_1', 'one'), effect('tc_2', 'two')]
const story = { script: [{ calls }, 'Done.'], policy: { default: 'prompt' } }

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
async function held(server: ServerProcess): Promise<any[]> {
  await server.send('/v1/threads', { body: { input: 'go' } })
  const open = async () => (await server.send('/v1/holds')).json.holds
  await expect.poll(open).toHaveLength(2)
  return open()
}

/** Who was shown the hold, and whether to its end. */
async function looks(project: Project, id: string): Promise<unknown[]> {
  const { stdout } = await project.holdpoint('audit', '--kind', 'hold.shown', '--json')
  const records = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return records.flatMap(({ hold_id, actor, data }) => (hold_id === id ? [[actor, data.in_full]] : []))
}

test('P10: a hold that was loaded is not on record as read to its end before the caller says that it was', async () => {
  await using project = await aProject(story)
  await using server = await aServer(project)
  const [one, two] = await held(server)
  await server.send(`/v1/holds/${one.id}`)
  expect(await looks(project, one.id)).toEqual([['ana', false]])
  const other = await server.send(`/v1/holds/${one.id}/shown`, { body: { digest: 'sha256:0' } })
  expect([other.status, other.json.code]).toEqual([412, 'digest_mismatch'])
  const late = await server.send(`/v1/holds/${one.id}/shown`, { body: { digest: one.digest, level: 1 } })
  expect([late.status, late.json.code]).toEqual([412, 'level_mismatch'])
  expect(await looks(project, one.id)).toEqual([['ana', false]])
  const said = await server.send(`/v1/holds/${one.id}/shown`, { body: { digest: one.digest, level: 0 } })
  expect([said.status, said.json.id]).toEqual([200, one.id])
  expect((await server.send('/v1/holds/hold_none/shown', { body: {} })).status).toBe(404)

  await server.send(`/v1/holds/${two.id}`)
  for (const { id } of [one, two]) await server.send(`/v1/holds/${id}/decisions`, { body: { verdict: 'approve' } })
  const { json: report } = await server.send('/v1/report')
  expect(report.approved_not_to_the_end).toEqual({ count: 1, hold_ids: [two.id] })
  expect(report.approved_unseen.count).toBe(0)

  const after = await server.send(`/v1/holds/${one.id}/shown`, { body: {} })
  expect([after.status, after.json.status]).toEqual([200, 'decided'])
  expect(await looks(project, one.id)).toEqual([
    ['ana', false],
    ['ana', true],
  ])
})

test('P10: a command over a server says whether what it printed was all of it', async () => {
  await using project = await aProject(story)
  await using server = await aServer(project)
  const [one] = await held(server)
  const env = { HOLDPOINT_SERVER: server.url, HOLDPOINT_TOKEN: TOKEN }
  expect((await project.run(['show', one.id], { env })).exit).toBe(0)
  expect(await looks(project, one.id)).toEqual([
    ['ana', false],
    ['ana', true],
  ])
})
