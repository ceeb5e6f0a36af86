import { expect, test } from 'vitest'
import { FLEET } from '../../../src/stores/sqlite/database/schema/fleet-schema.ts'
import { MIGRATIONS } from '../../../src/stores/sqlite/database/schema/schema.ts'
import { openDatabase } from '../../open-database.ts'
import { aProject, type Project } from '../project.ts'
import { agents, endAgents, until } from './agents.ts'
import { attached } from './fleet-rows.ts'

function change(project: Project, sql: string): void {
  using database = openDatabase(project.path('.holdpoint', 'holdpoint.db'))
  database.exec(sql)
}

const TALKS = { script: ['Ready.', 'More.'] }

test('an agent whose process speaks other frames is not attached to, and every other verb works by the store', async () => {
  await using project = await aProject(TALKS)
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  change(project, 'UPDATE presences SET protocol = 99')
  const refused = await agents(project, 'attach', 'docs', '--json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'not_attached' } } })
  expect(refused.json.error.message).toContain('version 99')
  expect(refused.json.error.hint).toContain('agents send')
  expect(await agents(project, 'send', 'docs', '--wait', 'go on')).toMatchObject({ exit: 0, stdout: 'More.\n' })
  expect((await agents(project, 'logs', 'docs')).stdout).toContain('docs: More.')
  await endAgents(project)
})

test('while the store is of a newer version each verb is refused, and afterwards the agent goes on', async () => {
  await using project = await aProject(TALKS)
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  change(project, 'PRAGMA user_version = 99')
  const verbs = [['agents'], ['agents', 'send', 'docs', 'x'], ['agents', 'attach', 'docs'], ['agents', 'kill', 'docs']]
  for (const words of [...verbs, ['agents', 'spawn', 'x'], ['daemon', 'start'], ['daemon', 'gc']]) {
    const { exit, json } = await project.run([...words, '--json'])
    expect([json.error?.code, exit === 0], words.join(' ')).toEqual(['store_newer', false])
  }
  change(project, `PRAGMA user_version = ${MIGRATIONS.length}`)
  const ana = await attached(project)
  expect(await ana?.say('i1', 'go on')).toMatchObject({ outcome: 'recorded' })
  await ana?.first('event', ({ event }) => JSON.stringify(event).includes('More.'))
  await endAgents(project)
})

/** What the migrations since then have added to other tables. */
const WITHOUT_COLUMNS =
  'DROP INDEX notices_refused; ALTER TABLE notices DROP COLUMN refused_with; ALTER TABLE tasks DROP COLUMN host; ALTER TABLE runs DROP COLUMN failure; DROP INDEX runs_by_retry; ALTER TABLE runs DROP COLUMN retry_at'

test('a store from before there were agents in the background has none, and takes the first one', async () => {
  await using project = await aProject(TALKS)
  expect(await project.holdpoint('begin')).toMatchObject({ exit: 0 })
  const before = MIGRATIONS.findIndex(migration => migration.includes(FLEET))
  const since = MIGRATIONS.slice(before)
    .join('')
    .matchAll(/CREATE TABLE (\w+)/g)
  const dropped = Array.from(since, ([, table]) => `DROP TABLE ${table};`).join('')
  change(project, `${dropped} ${WITHOUT_COLUMNS}; PRAGMA user_version = ${before}`)
  expect((await agents(project, '--json')).json).toEqual([])
  expect(await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')).toMatchObject({ exit: 0 })
  await until(project, 'docs', 'idle')
  await endAgents(project)
})
