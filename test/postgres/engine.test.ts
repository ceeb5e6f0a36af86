import type { ChildProcess } from 'node:child_process'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { aProject, command, effect, ended, type Project } from '../scenarios/project.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`an engine in PostgreSQL (${database.missing})`, () => {})
else describe('an engine in PostgreSQL', () => engines(database.url))

function engines(url: string): void {
  const one = [{ calls: [effect('t1', 'one')] }, 'Done.']
  const onStore = (schema: string, script: readonly unknown[] = one): Promise<Project> =>
    aProject({ script, env: { HOLDPOINT_STORE: `${url}?schema=${schema}` } })

  /** A worker that has its engine, and whose report is read. */
  async function working(project: Project, ...flags: string[]): Promise<ChildProcess> {
    const worker = project.start(['work', ...flags])
    onTestFinished(() => void worker.kill('SIGKILL'))
    const said = Promise.withResolvers<void>()
    worker.stdout?.on('data', text => String(text).includes('the worker waits for runs') && said.resolve())
    const over = ended(worker).then(({ stderr }) => Promise.reject(new Error(`the worker ended: ${stderr}`)))
    over.catch(() => {})
    await Promise.race([said.promise, over])
    return worker
  }

  async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  /** The keys of the jobs that wait in the queue of this store. */
  const jobs = async (schema: string) =>
    (await sql<{ key: string }>(`SELECT key FROM ${schema}_engine.jobs ORDER BY id`)).map(({ key }) => key)

  async function drained(worker: ChildProcess): Promise<void> {
    const over = new Promise(resolve => worker.once('exit', resolve))
    worker.kill('SIGTERM')
    expect(await over).toBe(0)
  }

  test('P4: a decision puts its run into the queue in its own transaction, and the engine wakes a worker', async () => {
    await using project = await onStore('woken')
    await drained(await working(project, '--engine', 'graphile'))
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await jobs('woken')).toEqual([])
    expect(await project.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await jobs('woken')).toEqual([json.run_id])
    const worker = await working(project, '--engine', 'graphile')
    await expect.poll(() => project.effects()).toEqual(['one'])
    await expect.poll(() => jobs('woken')).toEqual([])
    await drained(worker)
  })

  test('a deadline is a job at its time, and is none any more once the hold is decided', async () => {
    await using project = await onStore('timed')
    await drained(await working(project, '--engine', 'graphile'))
    await project.write('.holdpoint/config.json', JSON.stringify({ due: { seconds: 3600, on_due: 'reject' } }))
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const [{ hold_id }] = json.pause_reason.pending_tool_calls
    const [job] = await sql<{ key: string; is_later: boolean }>(
      `SELECT key, run_at > now() + interval '50 minutes' AS is_later FROM timed_engine.jobs`,
    )
    expect(job).toEqual({ key: hold_id, is_later: true })
    expect(await project.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await jobs('timed')).toEqual([json.run_id])
  })

  test('D1: a run whose job a dead worker keeps is found by the sweep', async () => {
    await using project = await onStore('kept')
    await drained(await working(project, '--engine', 'graphile'))
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await project.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    await sql(`UPDATE kept_engine._private_jobs SET locked_by = 'dead', locked_at = now(), attempts = 1`)
    await working(project, '--engine', 'graphile')
    await expect.poll(() => project.effects()).toEqual(['one'])
  })

  test('P3: the run of a worker that is killed with its job goes on in another one, and nothing runs twice', async () => {
    const script = [{ calls: [command('t1', 'echo begun >> effects.log; sleep 60')] }, 'Done.']
    await using project = await onStore('killed', script)
    const first = await working(project, '--engine', 'graphile')
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await project.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    await expect.poll(() => project.effects()).toEqual(['begun'])
    first.kill('SIGKILL')
    await working(project, '--engine', 'graphile')
    const holds = async () =>
      (await project.holdpoint('holds', '--json')).json.map(({ kind }: { kind: string }) => kind)
    await expect.poll(holds).toEqual(['in_doubt'])
    expect(await project.effects()).toEqual(['begun'])
  })

  test('P7: a worker with the engine and one without it do each run once', async () => {
    await using project = await onStore('both')
    const workers = [await working(project, '--engine', 'graphile'), await working(project)]
    for (let n = 0; n < 4; n += 1) await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const holds = (await project.holdpoint('holds', '--json')).json.map(({ id }: { id: string }) => id)
    await Promise.all(holds.map((id: string) => project.holdpoint('approve', id)))
    const over = async () =>
      (await project.holdpoint('runs', '--json')).json.map((run: { status: string }) => run.status)
    await expect.poll(over).toEqual(['done', 'done', 'done', 'done'])
    expect(await project.effects()).toEqual(['one', 'one', 'one', 'one'])
    await expect.poll(() => jobs('both')).toEqual([])
    for (const worker of workers) await drained(worker)
  })

  test('the engine is given up by dropping its schema: decisions and workers go on', async () => {
    await using project = await onStore('given_up')
    await drained(await working(project, '--engine', 'graphile'))
    await sql('DROP SCHEMA given_up_engine CASCADE')
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await project.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0 })
    expect(await project.effects()).toEqual(['one'])
  })

  test('an engine that takes no job fails no decision', async () => {
    await using project = await onStore('broken')
    await drained(await working(project, '--engine', 'graphile'))
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    await sql('DROP FUNCTION broken_engine.add_job CASCADE')
    expect(await project.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0 })
    expect(await project.effects()).toEqual(['one'])
  })

  test('what an engine lacks is said before anything is opened', async () => {
    await using project = await onStore('refused')
    const refused = async (...args: string[]) => {
      const { exit, json } = await project.holdpoint('work', '--json', ...args)
      return [exit, json.error.code, json.error.hint]
    }
    expect(await refused('--engine', 'bull')).toEqual([2, 'invalid_arguments', expect.stringContaining('graphile')])
    expect(await refused('--engine', 'graphile', '--once')).toEqual([2, 'invalid_arguments', expect.any(String)])
    expect(await refused('--engine', 'graphile', '--store', 'sqlite:x.db')).toEqual([
      2,
      'engine_needs_database',
      expect.stringContaining('postgres://'),
    ])
    const without = await project.run(['work', '--json', '--engine', 'graphile'], { node: ['--import', WITHOUT_IT] })
    expect([without.exit, without.json.error]).toEqual([
      2,
      expect.objectContaining({ code: 'engine_missing', hint: expect.stringContaining('npm i graphile-worker') }),
    ])
    expect(project.exists('x.db')).toBe(false)
  })
}

/** Node finds no such package. */
const WITHOUT_IT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ resolve(name, context, next) { return next(name === 'graphile-worker' ? 'not-installed' : name, context) } })
`)}`
