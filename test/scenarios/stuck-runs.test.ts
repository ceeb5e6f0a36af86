/** A run that no waiting helps says so, with its reason and its way out, wherever it is listed. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { until } from './processes.ts'
import { aProject, effect, ended, type Finished, type Project } from './project.ts'
import { aServer, type ServerProcess, TOKEN } from './server/server-process.ts'

const SCRIPT = [{ calls: [effect('tc_1', 'one')] }, 'Done.']
const ASKS = { policy: { tools: { run_command: 'prompt' } } }

/** A command for which so many more seconds have passed. */
function later(project: Project, seconds: number, ...args: string[]): Promise<Finished> {
  const preload = ['--import', resolve(import.meta.dirname, 'shift-clock.mjs')]
  return project.run(args, { node: preload, env: { CLOCK_AHEAD_MS: String(seconds * 1_000) } })
}

test('a decided run is stuck after a minute if no process works, and goes on as it says', async () => {
  await using project = await aProject({ script: SCRIPT, ...ASKS })
  const { exit } = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
  expect(exit).toBe(10)
  expect(await project.holdpoint('approve', 'tc_1')).toMatchObject({ exit: 0 })
  expect((await later(project, 10, 'runs', '--json')).json).toMatchObject([{ standing: 'ready', stuck: null }])
  const [row] = (await later(project, 61, 'runs', '--json')).json
  expect(row).toMatchObject({ standing: 'stuck', stuck: { code: 'no_worker' } })
  expect((await later(project, 61, 'runs')).stdout).toContain('  stuck  ')
  const shown = await later(project, 61, 'show', row.run_id)
  expect(shown.stdout).toContain('No process works on the runs of this store. Keep a worker or a server running')
  expect((await later(project, 61, 'threads', 'list', '--json')).json).toMatchObject([{ standing: 'stuck' }])
  const looked = (await later(project, 61, 'doctor', '--offline', '--json')).json
  expect(looked.checks).toContainEqual(expect.objectContaining({ check: 'runs', status: 'warn' }))
  expect(await project.holdpoint('-c', row.run_id)).toMatchObject({ exit: 0 })
  expect((await later(project, 61, 'runs', '--json')).json).toMatchObject([{ standing: 'done', stuck: null }])
  expect(await project.effects()).toEqual(['one'])
})

/** A process over the library that alone knows the agent `worker`. */
async function inItsProgram(project: Project, act: string, run = ''): Promise<Finished['json']> {
  const program = resolve(import.meta.dirname, 'instance-process.mjs')
  const env = { ...project.environment, STORE: project.path('.holdpoint/holdpoint.db'), ACT: act, RUN: run }
  return (await ended(spawn(process.execPath, [program], { cwd: project.directory, env: { ...env, VERSION: 'v3' } })))
    .json
}

async function stuckOn(server: ServerProcess, runId: string): Promise<Finished['json']> {
  const seen = async () => (await server.send(`/v1/runs/${runId}`)).json.stuck
  await until(async () => (await seen()) !== null)
  return seen()
}

test('a server that does not know the agent says so of the decision, the run and itself, until its program comes', async () => {
  await using project = await aProject({ config: {} })
  const { id } = await inItsProgram(project, 'start')
  await using server = await aServer(project)
  expect((await server.send('/readyz')).json).toEqual({ status: 'ready' })
  const [hold] = (await server.send('/v1/holds')).json.holds
  const decided = await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
  expect(decided.status).toBe(200)
  const stuck = await stuckOn(server, id)
  expect(stuck).toMatchObject({ code: 'unknown_agent', message: 'No running process knows the agent worker.' })
  expect((await server.send(`/v1/holds/${hold.id}`)).json.result).toMatchObject({ started_at: null, stuck })
  expect((await server.send('/v1/runs?about=true')).json.runs).toMatchObject([{ status: 'running', stuck }])
  expect((await server.send('/readyz')).json).toEqual({ status: 'ready', degraded: ['runs'] })
  const listed = await project.run(['runs', '--json', '--server', server.url], {
    env: { HOLDPOINT_TOKEN: TOKEN },
  })
  expect(listed.json).toMatchObject([{ standing: 'stuck', stuck }])
  expect(await inItsProgram(project, 'advance', id)).toMatchObject({ status: 'done' })
  expect((await server.send(`/v1/runs/${id}`)).json).toMatchObject({ status: 'done', stuck: null })
  expect((await server.send('/readyz')).json).toEqual({ status: 'ready' })
})

test('a failure that a person must mend is told at once, with the way out, and is forgotten once it is mended', async () => {
  await using project = await aProject({ script: SCRIPT, ...ASKS })
  const { json } = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
  await project.write('script.json', 'no script')
  await using server = await aServer(project)
  const decided = await server.send(`/v1/holds/${json.pause_reason.pending_tool_calls[0].hold_id}/decisions`, {
    body: { verdict: 'approve' },
  })
  expect(decided.status).toBe(200)
  expect(await stuckOn(server, json.run_id)).toMatchObject({ code: 'invalid_script', hint: expect.any(String) })
  expect((await server.send('/readyz')).json).toEqual({ status: 'ready', degraded: ['runs'] })
  await project.write('script.json', JSON.stringify(SCRIPT))
  await until(async () => (await server.send(`/v1/runs/${json.run_id}`)).json.status === 'done')
  expect((await server.send('/readyz')).json).toEqual({ status: 'ready' })
  expect(await project.effects()).toEqual(['one'])
})
