import type { ToolCall } from '../../src/core/run/tool-call.ts'
import type { Json } from '../../src/core/text/json.ts'
import type { Hooks, HookView, Plugin } from '../../src/ports/agent/plugin.ts'
import type { Scene } from './cast.ts'
import { BLOCKED, DENIED, GIVEN, GUARDED, type PluginName, THROWN_AT } from './plot.ts'

/** What each plugin does, by the rule that an observer can tell too. */
const HOOKS: Readonly<Record<PluginName, (scene: Scene) => Hooks>> = {
  counter: () => ({
    stepStart: counted,
    afterInference: counted,
    beforeToolExecute: counted,
    afterToolExecute: counted,
    stepEnd: counted,
    runEnd: counted,
  }),
  guard: () => ({
    beforeToolExecute: (_view, call) =>
      numberOf(call) === GUARDED ? { suspend: { message: 'Sure?', kind: 'approval' } } : undefined,
  }),
  giver: scene => ({
    async beforeToolExecute(_view, call) {
      await scene.scheduler.point(scene.life, 'hook:gives')
      return numberOf(call) === GIVEN ? { setResult: { given: true } } : undefined
    },
  }),
  denier: () => ({
    beforeToolExecute: (_view, call) =>
      numberOf(call) === DENIED ? { deny: { code: 'TOOL_CALL_FORBIDDEN', message: 'no' } } : undefined,
  }),
  thrower: scene => ({
    async beforeToolExecute(view, call) {
      await scene.scheduler.point(scene.life, 'hook:throws')
      if (numberOf(call) === THROWN_AT) throws(scene, view, 'the hook broke')
    },
    afterToolExecute(view, call) {
      if (numberOf(call) === 2) throws(scene, view, 'the hook broke on a result')
    },
    stepStart(view) {
      if (view.steps === 5) throws(scene, view, 'the hook broke at a step')
    },
  }),
  redactor: scene => ({
    async afterToolExecute(_view, _call, { output }) {
      await scene.scheduler.point(scene.life, 'hook:redacts')
      return { setResult: { redacted: output } }
    },
  }),
  forcer: () => ({ stepEnd: () => ({ continueWith: 'Go on.' }) }),
  caller: () => ({
    afterInference: (_view, { calls }) =>
      calls.length > 0 ? {} : { calls: [{ id: 'forced', name: 'plain', arguments: '{"n":1}', metadata: null }] },
  }),
  blocker: () => ({
    beforeToolExecute: (_view, call) => (numberOf(call) === BLOCKED ? { block: 'not here' } : undefined),
  }),
  skipper: () => ({ beforeInference: ({ steps }) => (steps >= 2 ? { skip: true } : undefined) }),
  ender: () => ({ afterInference: ({ steps }) => (steps >= 1 ? { end: true } : {}) }),
}

export function pluginsOf(scene: Scene): Plugin[] {
  const named = scene.plot.plugins.map(name => ({
    name,
    ...(name === 'counter' && { initialState: 0 }),
    hooks: HOOKS[name](scene),
  }))
  return [witness(scene), ...named]
}

/** Sees that a run began and that it ended: when it is asked, and when it answers. */
function witness({ ledger, life, scheduler }: Scene): Plugin {
  const see =
    (phase: 'runStart' | 'runEnd') =>
    async ({ run_id }: HookView) => {
      ledger.see({ is: 'hook', phase: `asked ${phase}`, run_id })
      await scheduler.point(life, `hook:${phase}`)
      ledger.see({ is: 'hook', phase, run_id })
    }
  return { name: 'witness', hooks: { runStart: see('runStart'), runEnd: see('runEnd') } }
}

function throws({ ledger }: Scene, { run_id }: HookView, message: string): never {
  ledger.threw.add(`thrower in ${run_id}`)
  throw new TypeError(message)
}

function counted({ state }: HookView): { setState: Json } {
  return { setState: Number(state) + 1 }
}

function numberOf({ final_arguments }: ToolCall): number {
  return typeof final_arguments === 'string' ? 0 : Number(final_arguments['n'])
}
