/** A page on one host follows a run on another: each process here reaches the others by the database alone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { defineAgent, type OpenOptions, openHoldpoint } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { ChannelNames } from '../../src/stores/postgres/live/channel-names.ts'
import type { ModelServerOptions } from '../../src/testing/servers/model-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { until } from '../scenarios/processes.ts'
import { aProject, command, ended, type Project } from '../scenarios/project.ts'
import { aServer, type ServerProcess } from '../scenarios/server/server-process.ts'
import { type OpenStream, openStream } from '../scenarios/server/stream-client.ts'
import { aWorkplace, type Told, type Workplace } from '../scenarios/workplace.ts'
import { openCuttingProxy } from './cutting-proxy.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`live text between hosts (${database.missing})`, () => {})
else describe('live text between hosts', () => liveText(database.url))

/** Each piece of the model is longer than a notice, and has characters of one to four bytes. */
const TEXT = 'Größe: 3 € 😀 "quoted"\\ \u0001. '.repeat(600)

interface Run {
  readonly run_id: string
  readonly thread_id: string
}

function liveText(url: string): void {
  /** A project whose model speaks over the wire, until the test is over. */
  async function aTalking(schema: string, model: ModelServerOptions): Promise<Project> {
    const server = await openOpenAiServer(model)
    const env = { HOLDPOINT_MODEL: 'openai/gpt-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test' }
    const project = await aProject({
      policy: { default: 'auto' },
      env: { ...env, HOLDPOINT_STORE: `${url}?schema=${schema}` },
    })
    onTestFinished(async () => {
      await server[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    })
    return project
  }

  function working(project: Project): ChildProcess {
    const worker = project.start(['work'])
    onTestFinished(() => void worker.kill('SIGKILL'))
    return worker
  }

  async function startedOn(server: ServerProcess): Promise<Run> {
    return (await server.send('/v1/threads', { body: { input: 'talk' } })).json
  }

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  /** Payloads on the channel that brings the pieces of a thread. */
  async function overheard(schema: string, threadId: string): Promise<readonly string[]> {
    const client = await connected()
    const query = async (sql: string) => {
      const { rows, rowCount } = await client.query(sql.replaceAll('@', `${schema}.`))
      return { rows, count: rowCount ?? 0 }
    }
    const heard: string[] = []
    client.on('notification', ({ payload }) => heard.push(payload ?? ''))
    await client.query(`LISTEN "${(await ChannelNames.read({ schema, query })).ofThread(threadId)}"`)
    return heard
  }

  async function followers(schema: string): Promise<number> {
    return Number((await (await connected()).query(`SELECT count(*) FROM ${schema}.followers`)).rows[0].count)
  }

  test('P4: a run that was cut in the middle of its text is taken up elsewhere: each event once, in order, with the text', async () => {
    const project = await aTalking('taken_up', { turns: [TEXT], fail: ['stall'] })
    await using server = await aServer(project, '--no-work')
    const { thread_id } = await startedOn(server)
    await using stream = await openStream(server, `/v1/threads/${thread_id}/events`)
    await until(async () => (await followers('taken_up')) === 1)
    const first = working(project)
    await until(() => textOf(stream) !== '')
    expect(stream.frames.some(({ event }) => event === 'model.answered')).toBe(false)
    const half = textOf(stream)
    expect([TEXT.startsWith(half), half.length > 4_000]).toEqual([true, true])
    first.kill('SIGKILL')
    await ended(first)

    working(project)
    await stream.first(({ event }) => event === 'run.finished')
    // The new text, or the end of it, may be lost: the answer has the whole.
    const text = textOf(stream)
    expect([TEXT.startsWith(text), text.length > 0]).toEqual([true, true])
    const starts = stream.frames.filter(({ event }) => event === 'text.start').map(({ data }) => data.data.id)
    expect(starts).toEqual(starts.map(() => starts[0]))
    const ids = stream.frames.flatMap(({ id }) => (id === null ? [] : [id]))
    expect(ids).toEqual(ids.map((_, n) => n + 1))
    const answered = stream.frames.findIndex(({ event }) => event === 'model.answered')
    const texts = stream.frames.flatMap(({ event }, at) => (event === 'text.delta' ? [at] : []))
    expect(Math.max(...texts)).toBeLessThan(answered)
    expect(JSON.stringify(stream.frames[answered]?.data)).toContain(JSON.stringify(TEXT))
  })

  test('output of a tool is seen on another host while the tool runs', async () => {
    const waits = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo over'
    const project = await aTalking('output', { turns: [{ calls: [command('c1', waits)] }, 'Done.'] })
    await using server = await aServer(project, '--no-work')
    const { thread_id } = await startedOn(server)
    await using stream = await openStream(server, `/v1/threads/${thread_id}/events`)
    working(project)
    await until(() => outputOf(stream) === 'begun\n')
    expect(stream.frames.some(({ event }) => event === 'call.finished')).toBe(false)
    await project.write('go', '')
    await stream.first(({ event }) => event === 'run.finished')
    expect(outputOf(stream)).toMatch(/^begun\n(over\n)?$/)
  })

  test('a program that follows while the model talks sees each word from then on, and one that is killed harms nothing', async () => {
    await using place = await aWorkplace()
    const store = `${url}?schema=words`
    const agents = [defineAgent({ name: 'worker', model: scriptedModel([]) })]
    const [run, words] = [await startedIn(store, agents), new Words(place, store)]
    const advancing = words.start({ RUN: run.id })
    await words.say(0)
    await until(() => existsSync(join(place.directory, 'said-0')))
    const [killed, follower] = [words.start({ THREAD: run.thread_id }), words.start({ THREAD: run.thread_id })]
    await until(async () => (await followers('words')) === 2)
    await words.say(1)
    await until(() => textIn(follower) === 'am ' && textIn(killed) === 'am ')
    killed.child.kill('SIGKILL')
    await words.say(2)
    await until(() => textIn(follower) === 'am almost ')
    expect(follower.told.some(({ kind }) => kind === 'model.answered')).toBe(false)
    await words.say(3)
    expect([await advancing.exit, await follower.exit]).toEqual([0, 0])
    expect(follower.told.at(-1)?.kind).toBe('run.finished')
  })

  test('a run that nobody follows sends no notice of its text, and one that is followed sends small ones', async () => {
    const project = await aTalking('counted', { turns: [TEXT] })
    await using server = await aServer(project, '--no-work')
    const [alone, followed] = [await startedOn(server), await startedOn(server)]
    const heard = {
      alone: await overheard('counted', alone.thread_id),
      followed: await overheard('counted', followed.thread_id),
    }
    const stream = await openStream(server, `/v1/threads/${followed.thread_id}/events`)
    await until(async () => (await followers('counted')) === 1)
    working(project)
    await stream.first(({ event }) => event === 'run.finished')
    await until(async () => (await server.send(`/v1/runs/${alone.run_id}`)).json.status === 'done')
    expect(heard.alone).toEqual([])
    expect(heard.followed.length).toBeGreaterThan(3)
    for (const payload of heard.followed) expect(Buffer.byteLength(payload)).toBeLessThan(4_096)
    await stream[Symbol.asyncDispose]()
    await until(async () => (await followers('counted')) === 0)
  })

  test('a host whose connections are cut misses pieces, and gets no piece twice and no event twice', async () => {
    await using proxy = await openCuttingProxy(url)
    const counts = 'n=0; until [ -e stop ]; do n=$((n+1)); echo "line $n"; sleep 0.05; done'
    const project = await aTalking('cut_off', { turns: [{ calls: [command('c1', counts)] }, 'Done.'] })
    await using server = await aServer(project, '--no-work', '--store', `${proxy.url}?schema=cut_off`)
    const { thread_id } = await startedOn(server)
    await using stream = await openStream(server, `/v1/threads/${thread_id}/events`)
    working(project)
    for (const more of [3, 3, 3]) {
      const seen = linesOf(stream).length
      await until(() => linesOf(stream).length >= seen + more)
      proxy.cutAll()
    }
    const seen = linesOf(stream).length
    await until(() => linesOf(stream).length > seen)
    await project.write('stop', '')
    await stream.first(({ event }) => event === 'run.finished')
    const lines = linesOf(stream)
    expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b))
    const ids = stream.frames.flatMap(({ id }) => (id === null ? [] : [id]))
    expect(ids).toEqual(ids.map((_, n) => n + 1))
  })

  test('through a pooler that hands on no notices the events come without pieces, which is said once, and nothing is sent', async () => {
    await using proxy = await openCuttingProxy(url)
    proxy.dropNotices()
    const project = await aTalking('pooled', { turns: [TEXT] })
    await using server = await aServer(project, '--no-work', '--store', `${proxy.url}?schema=pooled`)
    const { thread_id } = await startedOn(server)
    const heard = await overheard('pooled', thread_id)
    await using stream = await openStream(server, `/v1/threads/${thread_id}/events`)
    const warnings = () => server.said.filter(line => line.includes('store_polled'))
    await until(() => warnings().length > 0)
    working(project)
    await stream.first(({ event }) => event === 'run.finished')
    expect(textOf(stream)).toBe('')
    expect(heard).toEqual([])
    expect(await followers('pooled')).toBe(0)
    expect(warnings()).toEqual([expect.stringContaining('only once it is stored')])
  })
}

/** Of the answer that was begun last. */
function textOf({ frames }: OpenStream): string {
  const start = frames.findLastIndex(({ event }) => event === 'text.start')
  const pieces = frames.slice(start).filter(({ event }) => event === 'text.delta')
  return pieces.map(({ data }) => data.data.delta).join('')
}

function outputOf({ frames }: OpenStream): string {
  return frames.map(({ event, data }) => (event === 'tool_output.delta' ? data.data.delta : '')).join('')
}

function linesOf(stream: OpenStream): number[] {
  return outputOf(stream)
    .split('\n')
    .filter(line => line !== '')
    .map(line => Number(line.replace('line ', '')))
}

/** A run that nobody advances yet. */
async function startedIn(
  store: string,
  agents: OpenOptions['agents'] = [],
): Promise<{ id: string; thread_id: string }> {
  await using holdpoint = await openHoldpoint({ store, agents })
  return await holdpoint.start({ agent: 'worker', input: 'go' })
}

interface Speaking {
  readonly child: ChildProcess
  /** What it printed: events, one a line. */
  readonly told: Told[]
  readonly exit: Promise<number | null>
}

/** Processes whose model says a word when it is told to (`live-run.mjs`), and programs that follow them. */
class Words {
  readonly #place: Workplace
  readonly #store: string

  constructor(place: Workplace, store: string) {
    this.#place = place
    this.#store = store
  }

  start(env: { readonly RUN: string } | { readonly THREAD: string }): Speaking {
    const { PATH = '' } = process.env
    const child = spawn(process.execPath, [PROGRAM], {
      env: { PATH, STORE: this.#store, PLACE: this.#place.directory, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const told: Told[] = []
    createInterface(child.stdout).on('line', line => told.push(JSON.parse(line)))
    return { child, told, exit: new Promise(resolve => child.on('close', resolve)) }
  }

  async say(word: number): Promise<void> {
    await writeFile(join(this.#place.directory, `word-${word}`), '')
  }
}

const PROGRAM = new URL('../scenarios/live-run.mjs', import.meta.url).pathname

function textIn({ told }: Speaking): string {
  return told.map(event => (event.kind === 'text.delta' ? event.data.delta : '')).join('')
}
