import { chmod, writeFile } from 'node:fs/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { aProject, effect, ended, type Project } from '../scenarios/project.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`the command line on PostgreSQL (${database.missing})`, () => {})
else describe('the command line on PostgreSQL', () => commanding(database.url))

function commanding(url: string): void {
  const one = [{ calls: [effect('t1', 'one')] }, 'Done.']
  /** Two directories are two hosts: they share nothing but the database. */
  const onStore = (schema: string, script: readonly unknown[] = one): Promise<Project> =>
    aProject({ script, env: { HOLDPOINT_STORE: `${url}?schema=${schema}` } })

  test('P1: a run that pauses here is approved elsewhere, and goes on here with the approved call', async () => {
    await using here = await onStore('paused')
    await using elsewhere = await onStore('paused')
    const paused = await here.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(paused).toMatchObject({ exit: 10, json: { pause_reason: { type: 'tool_approval_required' } } })
    expect(await elsewhere.holdpoint('approve', 't1', '--reason', 'seen')).toMatchObject({ exit: 0 })
    expect(await here.effects()).toEqual([])
    expect(await here.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json')).toMatchObject({ exit: 0 })
    expect([await here.effects(), await elsewhere.effects()]).toEqual([['one'], []])
    expect(await elsewhere.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
  })

  test('a worker goes on with a run of another host as soon as its call is approved', async () => {
    await using here = await onStore('worked')
    await using elsewhere = await onStore('worked')
    const worker = here.start(['work'])
    const stopped = ended(worker)
    onTestFinished(() => void worker.kill('SIGKILL'))
    expect(await elsewhere.holdpoint('--pause-on-approval', '-o', 'json', 'go')).toMatchObject({ exit: 10 })
    expect(await elsewhere.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    const effects = async () => [...(await here.effects()), ...(await elsewhere.effects())]
    await expect.poll(effects).toEqual(['one'])
    worker.kill('SIGTERM')
    expect(await stopped).toMatchObject({ exit: 0 })
  })

  test('the password of the store is in nothing that is printed', async () => {
    await using project = await onStore('unprinted')
    const paused = await project.holdpoint('--pause-on-approval', 'go')
    expect(paused.exit).toBe(10)
    const refused = await project.holdpoint('runs', '--store', url.replace(':test@', ':wrong@'))
    expect(refused.exit).toBe(1)
    for (const { stdout, stderr } of [paused, await project.holdpoint('doctor'), refused])
      expect(stdout + stderr).not.toMatch(/:(test|wrong)@/)
  })

  test('the file of passwords is read without a warning, unless others may read it', async () => {
    await using project = await onStore('from_a_file')
    await project.holdpoint('--pause-on-approval', 'go')
    await writeFile(project.path('passwords'), '*:*:*:holdpoint:test\n', { mode: 0o600 })
    const env = { HOLDPOINT_STORE: `${url.replace(':test@', '@')}?schema=from_a_file`, PGPASSFILE: 'passwords' }
    expect(await project.run(['runs', '--json'], { env })).toMatchObject({ exit: 0, stderr: '', json: [{}] })
    await chmod(project.path('passwords'), 0o644)
    const refused = await project.run(['runs', '--json'], { env })
    expect(refused).toMatchObject({ exit: 1, json: { error: { code: 'store_denied' } } })
    expect(refused.json.error.hint).toContain('chmod 600')
  })

  test('a hint does not name the store of the environment, and has a word in place of the password of a flag', async () => {
    await using project = await onStore('hinted')
    const store = `${url}?schema=hinted_by_flag`
    const own = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const other = await project.holdpoint('--pause-on-approval', '-o', 'json', '--store', store, 'go')
    expect(own.json.resume_hint).not.toContain('--store')
    const { stdout } = await project.holdpoint('show', other.json.run_id, '--store', store)
    for (const hint of [other.json.resume_hint, stdout]) {
      expect(hint).toContain(`--store '${store.replace(':test@', ':PASSWORD@')}'`)
      expect(hint).not.toContain(':test@')
    }
  })

  test('a database that does not answer is refused by name, and says what to do', async () => {
    await using project = await aProject({ script: one })
    const refused = await project.holdpoint('runs', '--json', '--store', 'postgres://127.0.0.1:1/x')
    expect(refused).toMatchObject({ exit: 1, json: { error: { code: 'store_unavailable' } } })
  })
}
