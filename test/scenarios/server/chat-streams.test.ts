/** The streams of chat clients, that join an answer before its first piece or in the middle of it. */
import { expect, test } from 'vitest'
import type { Holdpoint } from '../../../src/index.ts'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/agent/model.ts'
import { openAgUi } from '../../../src/protocols/ag-ui/open-ag-ui.ts'
import { openAiSdk } from '../../../src/protocols/ai-sdk/open-ai-sdk.ts'
import { answerRequests } from '../../../src/protocols/http/answer-requests.ts'
import { oneToken } from '../../../src/protocols/http/one-token.ts'
import { threadOfChat } from '../../../src/protocols/turns/chat-thread.ts'
import { until } from '../processes.ts'
import { advanced, aWorkplace, started, type Workplace } from '../workplace.ts'

const TOKEN = 'the-token-of-this-test'

/** A model that says a word, waits until it is let go, and then asks for a call. */
class SlowModel {
  readonly id = 'own/slow'
  readonly #spoke = Promise.withResolvers<void>()
  readonly #free = Promise.withResolvers<void>()

  get spoke(): Promise<void> {
    return this.#spoke.promise
  }

  go(): void {
    this.#free.resolve()
  }

  async answer({ onPart, messages }: ModelRequest): Promise<ModelAnswer> {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
    if (messages.at(-1)?.role === 'tool') return { text: 'Done.', calls: [], usage, finish_reason: 'stop' }
    onPart({ kind: 'text.start', data: { id: '1' } })
    onPart({ kind: 'text.delta', data: { id: '1', delta: 'I will' } })
    this.#spoke.resolve()
    await this.#free.promise
    onPart({ kind: 'text.delta', data: { id: '1', delta: ' work.' } })
    onPart({ kind: 'text.end', data: { id: '1' } })
    onPart({ kind: 'tool_input.start', data: { call_id: 'c1', name: 'A' } })
    onPart({ kind: 'tool_input.delta', data: { call_id: 'c1', delta: '{}' } })
    onPart({ kind: 'tool_input.end', data: { call_id: 'c1' } })
    const calls = [{ id: 'c1', name: 'A', arguments: '{}', metadata: null }]
    return { text: 'I will work.', calls, usage, finish_reason: 'tool-calls' }
  }
}

interface Scene extends AsyncDisposable {
  readonly model: SlowModel
  readonly holdpoint: Holdpoint
  /** Reads of a whole journal so far, and followers of a thread. */
  readonly reads: string[]
  readonly follows: string[]
  post(path: string, body: object): Promise<Response>
}

async function aScene(): Promise<Scene> {
  const model = new SlowModel()
  const place: Workplace = await aWorkplace(own => ({ tools: [own.tool('A')], model: model as never }))
  const holdpoint = await place.open()
  const { profile } = await holdpoint.run((await started(holdpoint)).id)
  const [reads, follows]: [string[], string[]] = [[], []]
  const own: Pick<Holdpoint, 'journal' | 'follow'> = {
    journal: threadId => {
      reads.push(threadId)
      return holdpoint.journal(threadId)
    },
    follow: (threadId, options) => {
      follows.push(threadId)
      return holdpoint.follow(threadId, options)
    },
  }
  const counted = new Proxy(holdpoint, {
    get: (target, key) => {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own]
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const site = { holdpoint: counted, profileOf: async () => profile, agentNames: () => [] }
  const answer = answerRequests([...openAiSdk(site).routes, ...openAgUi(site).routes], {
    gate: { hosts: [], anyAddress: false, identify: oneToken(TOKEN, { name: 'ana', role: 'admin' }) },
    stopping: new AbortController().signal,
    onError: error => {
      throw error
    },
  })
  const headers = { host: 'localhost:1', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  return {
    ...{ model, holdpoint, reads, follows },
    post: (path, body) =>
      answer(new Request(`http://localhost:1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })),
    [Symbol.asyncDispose]: async () => {
      await holdpoint[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

const AI_SDK = {
  path: '/api/chat',
  body: { id: 'c', messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }] },
  text: ['text-start', 'text-end'],
  call: 'tool-input-start',
}
const AG_UI = {
  path: '/ag-ui/default',
  body: { threadId: 'c', runId: 'r', messages: [{ id: 'u1', role: 'user', content: 'go' }], tools: [] },
  text: ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_END'],
  call: 'TOOL_CALL_START',
}

/** The types of the events, in order. */
async function typesOf(response: Response): Promise<string[]> {
  const lines = (await response.text()).split('\n').filter(line => line.startsWith('data: {'))
  return lines.map(line => JSON.parse(line.slice('data: '.length)).type)
}

for (const [name, door] of Object.entries({ 'the AI SDK': AI_SDK, 'AG-UI': AG_UI })) {
  const parts = (types: readonly string[]) => types.filter(type => [...door.text, door.call].includes(type))

  test.each(['before its first piece', 'in the middle of it'])(
    `a client of ${name} that joins an answer %s is told the text before the call`,
    async when => {
      await using scene = await aScene()
      const { holdpoint, model, follows } = scene
      const early = typesOf(await scene.post(door.path, door.body))
      await until(() => follows.length === 1)
      const [run] = await holdpoint.runs({ thread_id: threadOfChat('c') })
      const advancing = advanced(holdpoint, run?.id ?? '')
      await model.spoke
      // The same message again joins the same turn.
      const late = typesOf(await scene.post(door.path, door.body))
      await until(() => follows.length === 2)
      model.go()
      await advancing
      const [first, second] = await Promise.all([early, late])
      const told = parts(when === 'in the middle of it' ? second : first)
      expect(told.slice(0, 3)).toEqual([...door.text, door.call])
    },
  )

  test(`a request of ${name} reads a conversation once`, async () => {
    await using scene = await aScene()
    const { holdpoint, model, reads } = scene
    model.go()
    const first = await scene.post(door.path, door.body)
    const [run] = await holdpoint.runs({ thread_id: threadOfChat('c') })
    await advanced(holdpoint, run?.id ?? '')
    await first.text()
    reads.length = 0
    const messages = [{ ...door.body.messages[0], id: 'u2' }]
    const second = await scene.post(door.path, { ...door.body, messages })
    const [next] = await holdpoint.runs({ thread_id: threadOfChat('c'), limit: 1 })
    await advanced(holdpoint, next?.id ?? '')
    expect(parts(await typesOf(second)).slice(0, 2)).toEqual(door.text)
    expect(reads).toHaveLength(1)
  })
}
