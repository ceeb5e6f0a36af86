import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../core/journal/message.ts'
import type { ContentPart } from '../../core/message/part.ts'
import type { Json } from '../../core/text/json.ts'
import type { Model, ModelAnswer, ToolSpec } from '../../ports/agent/model.ts'
import { openAnthropicServer } from '../../testing/servers/anthropic-server.ts'
import { openGoogleServer } from '../../testing/servers/google-server.ts'
import type { ModelServer } from '../../testing/servers/model-server.ts'
import { openOpenAiServer } from '../../testing/servers/openai-server.ts'
import { openResponsesServer } from '../../testing/servers/responses-server.ts'
import { openModel } from '../open-model.ts'
import type { Script } from '../script.ts'

interface Turn {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, string> }[]
}

/** What happens to a thread next. */
type Act =
  | { readonly does: 'say'; readonly content: string | readonly ContentPart[] }
  | { readonly does: 'ask'; readonly wire: number; readonly turn: Turn; readonly results: readonly Json[] }
  /** A fork from an earlier place, or an edit that takes a message away, repeats it, or moves it to the end. */
  | { readonly does: 'fork' | 'remove' | 'repeat' | 'move'; readonly at: number }

interface Wire {
  readonly server: ModelServer
  readonly model: Model
}

interface Stage extends AsyncDisposable {
  readonly wires: readonly Wire[]
  next: Script[number]
  asked: number
}

async function openStage(): Promise<Stage> {
  const thought = 'Hm, let me see.'
  const stage: Pick<Stage, 'next' | 'asked'> = { next: 'ok', asked: 0 }
  const turns = () => stage.next
  const opened = [
    ['anthropic/claude-test', await openAnthropicServer({ turns, thought }), 'ANTHROPIC'],
    ['openai-chat/gpt-test', await openOpenAiServer({ turns }), 'OPENAI'],
    ['openai-responses/gpt-5-test', await openResponsesServer({ turns, thought }), 'OPENAI'],
    ['google/gemini-3-test', await openGoogleServer({ turns, thought }), 'GOOGLE_GENERATIVE_AI'],
  ] as const
  const wires = opened.map(async ([id, server, name]): Promise<Wire> => {
    const env = { [`${name}_API_KEY`]: 'sk-test-0123456789', [`${name}_BASE_URL`]: server.url }
    return { server, model: await openModel(id, { env, directory: '.' }) }
  })
  return Object.assign(stage, {
    wires: await Promise.all(wires),
    async [Symbol.asyncDispose]() {
      for (const [, server] of opened) await server[Symbol.asyncDispose]()
    },
  })
}

/** The servers remember what they gave: no two answers have a call of the same id. */
function named(turn: Turn, asked: number): Script[number] {
  return { ...turn, calls: turn.calls.map(call => ({ ...call, id: `${call.id}.${asked}` })) }
}

const HELLO: Message = { role: 'user', content: 'hello', author: null }

function isWritten({ role, content }: Message): boolean {
  return role === 'user' && typeof content === 'string' && content.trim() !== ''
}

/** An answer in the thread, as the journal has it. */
function journalled({ text, parts, calls }: ModelAnswer): AssistantMessage {
  const tool_calls = calls.map(({ arguments: args, ...call }) => ({ ...call, arguments: JSON.parse(args) }))
  return { role: 'assistant', content: parts ?? text, tool_calls }
}

async function perform(stage: Stage, act: Act, messages: Message[]): Promise<Message[]> {
  if (act.does === 'say') return [...messages, { role: 'user', content: act.content, author: 'ana' }]
  if (act.does !== 'ask') return edited(messages, act)
  stage.asked += 1
  stage.next = named(act.turn, stage.asked)
  const asked = messages.some(isWritten) ? messages : [...messages, HELLO]
  const request = { system: 'Be brief.', messages: asked, tools: TOOLS, onPart: () => {} }
  const { model } = stage.wires[act.wire] ?? {}
  const answer = await model?.answer({ ...request, signal: new AbortController().signal })
  if (!answer) return messages
  const results = answer.calls.flatMap(({ id, name }, index): Message[] => {
    const content = act.results[index]
    return content === undefined
      ? []
      : [{ role: 'tool', tool_call_id: id, tool_name: name, content, is_error: content === null }]
  })
  return [...asked, journalled(answer), ...results]
}

function edited(messages: readonly Message[], { does, at: given }: Extract<Act, { at: number }>): Message[] {
  const at = given % Math.max(1, messages.length)
  const [message] = messages.slice(at, at + 1)
  if (!message) return []
  if (does === 'fork') return messages.slice(0, at)
  if (does === 'repeat') return messages.toSpliced(at, 0, message)
  const without = messages.toSpliced(at, 1)
  return does === 'remove' ? without : [...without, message]
}

const NAMES = ['look', 'files.read', '7up', 'пиши', `${'long'.repeat(20)}`, 'gone']
const schema = { type: 'object', properties: { $filter: { type: 'string' }, path: { type: 'string', format: 'uri' } } }
const TOOLS: readonly ToolSpec[] = NAMES.slice(0, -1).map(name => ({
  ...{ name, description: 'Acts.', inputSchema: schema },
}))

/** A PNG of this width, or something that is none. */
function png(width: number): string {
  const data = Buffer.alloc(26)
  data.write(width === 0 ? '<svg/>' : '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01', 'latin1')
  data.writeUInt32BE(width, 16)
  return data.toString('base64')
}

const TEXT = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' \n', 'half \ud83d', '\udc00', 'hello'))
const IMAGE = fc
  .record({ width: fc.constantFrom(1, 0, 2_001, 8_001), media_type: fc.constantFrom('image/png', 'image/jpeg') })
  .map(({ width, media_type }): ContentPart => ({ type: 'image', media_type, name: 'a.png', data: png(width) }))
const PART = fc.oneof(
  TEXT.map((text): ContentPart => ({ type: 'text', text })),
  IMAGE,
)
const PARTS = fc.oneof(
  fc.array(PART, { maxLength: 4 }),
  IMAGE.map(image => Array.from({ length: 25 }, () => image)),
)
const CALL = fc.record({
  id: fc.constantFrom('c', 'fn.run:0', 'ключ', 'x'.repeat(70), 'toolu_1'),
  name: fc.constantFrom(...NAMES),
  args: fc.dictionary(TEXT, TEXT, { maxKeys: 2 }),
})
const TURN = fc.record({ text: TEXT, calls: fc.uniqueArray(CALL, { maxLength: 3, selector: ({ id }) => id }) })
const ACT: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('say' as const), content: fc.oneof(TEXT, PARTS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('ask' as const),
      wire: fc.nat({ max: 3 }),
      turn: TURN,
      results: fc.array(fc.oneof(TEXT, fc.constant(null), fc.dictionary(TEXT, TEXT, { maxKeys: 2 })), { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('fork', 'remove', 'repeat', 'move'), at: fc.nat({ max: 20 }) }),
  },
)

test('no provider refuses a thread, whatever happened to it', async () => {
  await using stage = await openStage()
  await fc.assert(
    fc.asyncProperty(fc.array(ACT, { minLength: 3, maxLength: 12 }), async acts => {
      let messages: Message[] = []
      for (const act of acts) messages = await perform(stage, act, messages)
      messages = [...messages, { role: 'user', content: 'What now?', author: null }]
      for (const wire of stage.wires.keys())
        await perform(stage, { does: 'ask', wire, turn: { text: 'Done.', calls: [] }, results: [] }, messages)
    }),
    { numRuns: 60 },
  )
  expect(stage.wires.flatMap(({ server }) => server.requests.flatMap(({ violations }) => violations))).toEqual([])
  for (const { server } of stage.wires) expect(server.requests.length).toBeGreaterThan(60)
})
