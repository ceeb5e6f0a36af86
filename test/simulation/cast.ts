/** The agent of a simulated life as one process has it: its tools, its model, its plugins. */

import { ModelError } from '../../src/core/errors.ts'
import type { Hold } from '../../src/core/hold/hold.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import { type AgentDefinition, defineAgent } from '../../src/hosts/agents/define-agent.ts'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import type { Model, ModelAnswer, ModelRequest } from '../../src/ports/agent/model.ts'
import type { SuspendRequest } from '../../src/ports/agent/suspend-request.ts'
import type { Tool, ToolContext } from '../../src/ports/agent/tool.ts'
import { callDigest } from '../../src/runtime/definitions/call-digest.ts'
import { defineTool } from '../../src/tools/define/define-tool.ts'
import type { ToolOptions } from '../../src/tools/define/tool-options.ts'
import { type Ledger, onBehalfOf } from './ledger.ts'
import type { Plot, Turn } from './plot.ts'
import { pluginsOf } from './plugins.ts'
import type { Life, Scheduler } from './scheduler.ts'
import { DESTRUCTIVE, TOOLS, type ToolName } from './tool-names.ts'

/** Where a process acts. */
export interface Scene {
  readonly plot: Plot
  readonly life: Life
  readonly scheduler: Scheduler
  readonly ledger: Ledger
  /** Which schema this process's tools have. */
  readonly version: number
  /** A tool that this process does not have. */
  readonly lacks: ToolName | null
}

export function agentOf(scene: Scene): AgentDefinition {
  const { plot } = scene
  const tools = TOOLS.filter(name => name !== scene.lacks).map(name => toolOf(scene, name))
  return defineAgent({
    name: 'tester',
    model: modelOf(scene),
    tools: [...tools, 'ask_human', 'request_approval'],
    ...(plot.people.due && { due: plot.people.due }),
    ...(plot.people.deciders && { deciders: plot.people.deciders }),
    policy: plot.policy,
    pauseOn: plot.pauseOn,
    holdScope: plot.holdScope,
    maxConcurrentCalls: plot.maxConcurrentCalls,
    stop: plot.stop,
    plugins: pluginsOf(scene),
  })
}

/** What a tool itself says of a call with this `n`. */
export function ownWord(name: ToolName, n: number): boolean | null {
  return name === 'picky' ? n > 2 : null
}

type Body = (run: Running) => Promise<unknown>

interface Running {
  readonly n: number
  readonly context: ToolContext
  readonly scene: Scene
  /** What happens outside, once; gives what the tool answers with. */
  readonly effect: () => Promise<JsonObject>
}

const BODIES: Readonly<Record<ToolName, Body>> = {
  plain: ({ effect }) => effect(),
  again: ({ effect }) => effect(),
  picky: ({ effect }) => effect(),
  async failing({ n, effect }) {
    if (n % 2 === 1) await effect()
    throw new TypeError('it broke')
  },
  async slow({ n, effect, scene, context }) {
    await scene.scheduler.sleep(scene.life, n * 3_000, context.abortSignal)
    return effect()
  },
  // Does not listen when it is told to stop.
  async stubborn({ n, effect, scene }) {
    await scene.scheduler.sleep(scene.life, n * 5_000)
    return effect()
  },
  async asks_replay({ effect, scene, context }) {
    const asked = scene.ledger.count(`asked ${context.idempotencyKey}`)
    if (asked === 1) context.suspend({ message: 'Again?', resumeMode: 'replay_tool_call', ...inTime(scene) })
    return effect()
  },
  async asks_value({ context }) {
    return context.suspend({ message: 'What?', kind: 'question', resumeMode: 'use_decision_as_tool_result' })
  },
  async asks_decision({ effect, n, context }) {
    if (!context.decision) context.suspend({ message: 'So?', ...(n % 2 === 0 && { choices: ['yes', 'no'] }) })
    return effect()
  },
  // It waits for its result, so it never runs.
  elsewhere: ({ effect }) => effect(),
  // Nobody may let it go on, whatever is said of time.
  async destroys({ effect, n, scene, context }) {
    if (n === 2 && !context.decision) context.suspend({ message: 'Really?', onDue: 'auto_approve', ...inTime(scene) })
    return effect()
  },
  demanding: ({ effect }) => effect(),
  // Acts, and then hears that it is to stop.
  async aborting({ n, effect, scene, context }) {
    const happened = await effect()
    try {
      await scene.scheduler.sleep(scene.life, n * 3_000, context.abortSignal)
    } catch {
      throw new DOMException('It was aborted.', 'AbortError')
    }
    return happened
  },
}

/** What a tool that asks halfway says of time: it names times where others name durations. */
function inTime({ scheduler, life }: Scene): Pick<SuspendRequest, 'dueAt' | 'remindAt'> {
  const at = (seconds: number) => new Date(scheduler.now + life.skew + seconds * 1_000).toISOString()
  return { dueAt: at(15), remindAt: [at(10), at(4), at(40)] }
}

function toolOf(scene: Scene, name: ToolName): Tool {
  const [inputSchema, version] = [schemaOf(scene.version), `version ${scene.version}`]
  const schema = { ...inputSchema, tool_version: version }
  const tool = defineTool({
    name,
    inputSchema,
    version,
    idempotent: name === 'again',
    destructive: DESTRUCTIVE.has(name),
    ...askedOf(scene.plot, name),
    ...(name === 'picky' && { needsApproval: (({ n }: { n: number }) => ownWord(name, n)) as never }),
    async execute(args, context) {
      const [thread_id = ''] = context.idempotencyKey.split('/')
      const tale = onBehalfOf.getStore()?.tale ?? null
      const attempt = { tool: name, thread_id, call_id: context.toolCallId, life: scene.life, tale }
      scene.ledger.see({ is: 'begun', attempt })
      try {
        await scene.scheduler.point(scene.life, `tool:begins`)
        const effect = () => happen(scene, { schema, name, args, context })
        return await BODIES[name]({ n: Number(args['n']), context, scene, effect })
      } finally {
        scene.ledger.see({ is: 'over', attempt })
      }
    },
  })
  if (name !== 'elsewhere') return tool
  const asks = (args: JsonObject) =>
    ({ message: 'Give its result.', context: args, choices: null, response_schema: null, kind: 'client_tool' }) as const
  return { ...tool, asks }
}

/** Who decides about it, until when, and what must have been approved in words before it. */
function askedOf({ people }: Plot, name: ToolName): Partial<ToolOptions<JsonObject>> {
  const [due, deciders] = [people.toolDue[name], people.toolDeciders[name]]
  return {
    ...(due && { due }),
    ...(deciders && { deciders }),
    ...(name === 'demanding' && { demandsApproval: ({ n }) => ({ action: name, details: { n } }) }),
  }
}

function schemaOf(version: number): JsonObject {
  const n = { type: 'number', description: `version ${version}` }
  return { type: 'object', properties: { n }, required: ['n'], additionalProperties: false }
}

async function happen(
  { life, ledger, scheduler }: Scene,
  { schema, name, args, context }: { schema: JsonObject; name: ToolName; args: JsonObject; context: ToolContext },
): Promise<JsonObject> {
  const { toolCallId: call_id, idempotencyKey: key } = context
  const number = ledger.effects.length + 1
  const digest = callDigest(systemIds, { name, arguments: args, schema })
  ledger.see({ is: 'effect', number, tool: name, thread_id: key.split('/')[0] ?? '', call_id, args, key, digest })
  await scheduler.point(life, 'tool:happened')
  return { effect: number }
}

function modelOf(scene: Scene): Model {
  const { plot, life, scheduler, ledger } = scene
  return {
    id: 'simulated',
    async answer(request) {
      const tale = onBehalfOf.getStore()?.tale
      const thread_id = tale?.thread_id ?? ''
      ledger.see({ is: 'request', thread_id, messages: structuredClone(request.messages), life })
      await scheduler.point(life, 'model:asked', request.signal)
      const position = request.messages.filter(({ role }) => role === 'assistant').length
      const turn = plot.turns[position] ?? LAST
      const asking = ledger.count(`asked ${thread_id} ${position}`)
      return speak(scene, { turn, asking, request })
    },
  }
}

const LAST: Turn = { text: 'The end.', calls: [], tokens: 1, error: null }

async function speak(
  { life, scheduler }: Scene,
  { turn, asking, request }: { turn: Turn; asking: number; request: ModelRequest },
): Promise<ModelAnswer> {
  request.onPart({ kind: 'text.delta', data: { id: 'text', delta: turn.text } })
  if (turn.error && asking <= turn.error.times)
    throw new ModelError('model_error', 'no answer', { retryable: turn.error.retryable })
  await scheduler.point(life, 'model:answers', request.signal)
  return {
    text: turn.text,
    calls: turn.calls.map(call => ({ ...call, metadata: null })),
    usage: { input_tokens: turn.tokens, output_tokens: 0, total_tokens: turn.tokens },
    finish_reason: turn.calls.length > 0 ? 'tool-calls' : 'stop',
  }
}

/** An answer that a hold takes. */
export function answerTo({ choices }: Pick<Hold, 'choices'>): string {
  return choices?.[0] ?? 'an answer'
}
