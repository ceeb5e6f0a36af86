import { expect, test } from 'vitest'
import { openApp } from '../../../src/hosts/compose/compose.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { aProject } from '../project.ts'
import { aServer } from '../server/server-process.ts'
import { endAgents, until } from './agents.ts'

const A_MINUTE_AGO = { ...systemClock, now: () => systemClock.now() - 60_000 }

test('P4: a spawn whose server died before the agent had a process is carried out by the next one with its key', async () => {
  await using project = await aProject({ script: ['Ready.'] })
  await using server = await aServer(project, '--no-work')
  const spawn = (key: string) =>
    server.send('/v1/agents', { body: { input: 'go' }, headers: { 'idempotency-key': key } })
  const { json: first } = await spawn('k-1')
  const { json: me } = await server.send('/v1/me')
  await using app = await openApp({
    store: `sqlite:${project.path('.holdpoint/holdpoint.db')}`,
    ...{ agents: [], directory: project.directory, env: project.environment, clock: A_MINUTE_AGO },
  })
  const { profile } = await app.holdpoint.run(first.run_id)
  // All that the dead server had written: its run, and the task of it.
  const left = await app.holdpoint.start({
    ...{ profile, input: 'go', author: me.name, surface: 'rest', startId: 'k-2' },
    task: run => ({
      ...{ id: 'task_left', by: me.name, surface: 'rest', kind: 'agent', title: 'go', subject: run.id },
      ...{ details: { session_id: run.thread_id }, workdir: project.directory, timeout_ms: null, argv: ['none'] },
    }),
  })
  const { status, json: agent } = await spawn('k-2')
  expect([status, agent.id, agent.run_id]).toEqual([201, 'task_left', left.id])
  expect(await until(project, 'task_left', 'done', 'failed', 'crashed')).toMatchObject({ status: 'done' })
  const { json: list } = await server.send('/v1/agents')
  expect(list.agents).toHaveLength(2)
  await endAgents(project)
})

test('a key that began a run on a thread begins no agent, and that run goes on', async () => {
  await using project = await aProject({ script: ['Ready.'] })
  await using server = await aServer(project, '--no-work')
  const ask = (path: string) => server.send(path, { body: { input: 'go' }, headers: { 'idempotency-key': 'k-1' } })
  const { json: started } = await ask('/v1/threads')
  const refused = await ask('/v1/agents')
  expect([refused.status, refused.json.code]).toEqual([409, 'start_id_taken'])
  expect((await server.send(`/v1/runs/${started.run_id}`)).json.status).toBe('running')
})
