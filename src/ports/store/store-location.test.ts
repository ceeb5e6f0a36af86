import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { StoreLocation, supervisedStore, withoutStoreSecrets } from './store-location.ts'

test.each([
  ['postgres://ana:hush@db.example:5432/runs', 'postgres://ana@db.example:5432/runs'],
  ['postgres://:hush@db.example/runs', 'postgres://@db.example/runs'],
  ['postgres://ana:hu@sh/h?ush#@db.example/runs', 'postgres://ana@db.example/runs'],
  ['postgres://ana:hush@db.example/runs?ssl=true', 'postgres://ana@db.example/runs?ssl=true'],
  ['postgres://db.example/runs?user=ana&password=hush', 'postgres://db.example/runs?user=ana'],
  ['postgres://db.example/runs?sslpassword=hush', 'postgres://db.example/runs'],
  ['other:ana:hush@db.example', 'other:ana@db.example'],
])('the password of %s is neither displayed nor an argument', (url, display) => {
  const location = new StoreLocation(url)
  expect(location.display).toBe(display)
  expect(location.hasSecret).toBe(true)
  expect(inspect(location) + JSON.stringify(location)).not.toContain('hush')
  expect(location.handOver).toEqual({ argv: [], environment: { HOLDPOINT_STORE: url } })
  const { argv, environment } = location.supervisorHandOver
  expect(argv).toEqual([])
  expect(supervisedStore(['task_1', '1'], environment)).toBe(url)
})

test.each([
  ['postgres://ana:hush@db.example/runs?ssl=true', 'postgres://ana:PASSWORD@db.example/runs?ssl=true'],
  ['postgres://db.example/runs?user=ana&password=hush', 'postgres://db.example/runs?user=ana&password=PASSWORD'],
  ['postgres://ana@db.example/runs', 'postgres://ana@db.example/runs'],
  ['sqlite:/p/a:b@c.db', 'sqlite:/p/a:b@c.db'],
])('a command to copy names %s with a word in place of its password', (url, command) => {
  expect(new StoreLocation(url).commandUrl).toBe(command)
})

test.each([
  'sqlite:/p/.holdpoint/holdpoint.db',
  'sqlite:/p/a:b@c.db',
  'sqlite:/p/what?password=x',
  'memory:',
  'postgres://db.example/runs',
  'postgres://ana@db.example:5432/runs?ssl=true',
])('%s has no secret: it is displayed and handed over as it is', url => {
  const location = new StoreLocation(url)
  expect(location.display).toBe(url)
  expect(location.handOver).toEqual({ argv: ['--store', url], environment: {} })
  const { argv, environment } = location.supervisorHandOver
  expect(supervisedStore([...argv, 'task_1', '1'], environment)).toBe(url)
})

test.each([
  ['sqlite:/p/.holdpoint/holdpoint.db', '/p/.holdpoint/holdpoint.db', '/p/.holdpoint/tasks'],
  ['sqlite:/p/.holdpoint/other.db', '/p/.holdpoint/other.db', '/p/.holdpoint/other.db-tasks'],
  ['sqlite:', null, null],
  ['memory:', null, null],
  ['postgres://db.example/runs', null, null],
])("the files of %s lie in %s, and its tasks' output in %s", (url, file, tasksDirectory) => {
  const location = new StoreLocation(url)
  expect([location.file, location.tasksDirectory]).toEqual([file, tasksDirectory])
})

test("a command finds neither a store's password nor the store of its supervisor", () => {
  const secret = new StoreLocation('postgres://ana:hush@db.example/runs')
  const handed = { ...secret.handOver.environment, ...secret.supervisorHandOver.environment }
  expect(Object.keys(handed)).toHaveLength(2)
  expect(withoutStoreSecrets({ KEPT: 'yes', ...handed })).toEqual({ KEPT: 'yes' })
  const plain = { KEPT: 'yes', HOLDPOINT_STORE: 'sqlite:/p/x.db' }
  expect(withoutStoreSecrets(plain)).toEqual(plain)
})

test('a NUL in a URL is refused, for it would name another file', () => {
  expect(() => new StoreLocation('sqlite:a\0b')).toThrow(expect.objectContaining({ code: 'unknown_store' }))
})
