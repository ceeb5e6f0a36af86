import { isPromised } from '../../async/afterwards.ts'
import { onAbort } from '../../async/on-abort.ts'
import type { GivenPreview } from '../../ports/agent/preview.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { LateAnswerError, type Reach, reachForeign } from './reach-foreign.ts'

/**
 * The tool, but each question that it is asked before it runs is bounded by `reach`. All else is read from the tool itself, so
 * a change of it is seen (P9).
 */
export function boundedTool(reach: Reach, tool: Tool): Tool {
  const deps = { reach, tool, unanswered: new Map() }
  const bounded: Partial<Tool> = {
    needsApproval: args => asked(deps, { method: 'needsApproval', args, ask: () => tool.needsApproval(args) }),
    validate: args => asked(deps, { method: 'validate', args, ask: () => tool.validate(args) }),
    execute: (args, context) => tool.execute(args, context),
    ...(tool.demandsApproval && { demandsApproval: demanding(deps) }),
    ...(tool.inspect && { inspect: inspecting(deps) }),
    ...(tool.preview && { preview: previewing(deps) }),
  }
  return Object.defineProperties({}, { ...readOf(tool), ...Object.getOwnPropertyDescriptors(bounded) }) as Tool
}

function readOf(tool: Tool): PropertyDescriptorMap {
  const keys = Object.keys(tool) as (keyof Tool)[]
  return Object.fromEntries(keys.map(key => [key, { get: () => tool[key], enumerable: true, configurable: true }]))
}

interface Bounding {
  readonly reach: Reach
  readonly tool: Tool
  /** The questions that are late and have no answer yet. */
  readonly unanswered: Map<string, LateAnswerError>
}

interface Asking<T> {
  readonly method: keyof Tool
  readonly args: unknown
  readonly ask: () => T | PromiseLike<T>
}

/** A question that was late is not asked again, and waited for again, while it still has no answer. */
function asked<T>({ reach, tool, unanswered }: Bounding, { method, args, ask }: Asking<T>): T | Promise<T> {
  const key = () => `${method} ${JSON.stringify(args)}`
  const late = unanswered.size > 0 && unanswered.get(key())
  if (late) return Promise.reject(late)
  let answer: T | PromiseLike<T> | undefined
  const remember = (thrown: unknown): never => {
    if (thrown instanceof LateAnswerError) {
      const place = key()
      unanswered.set(place, thrown)
      const forget = () => unanswered.delete(place)
      Promise.resolve(answer).then(forget, forget)
    }
    throw thrown
  }
  const question = () => {
    answer = ask()
    return answer
  }
  const returned = reachForeign(reach, { what: `${method} of ${tool.name}`, ask: question })
  return isPromised(returned) ? Promise.resolve(returned).catch(remember) : returned
}

function demanding(deps: Bounding): NonNullable<Tool['demandsApproval']> {
  const { tool } = deps
  return args => asked(deps, { method: 'demandsApproval', args, ask: () => tool.demandsApproval?.(args) ?? null })
}

type Inspect = NonNullable<Tool['inspect']>

function inspecting(deps: Bounding): Inspect {
  const inspect = deps.tool.inspect?.bind(deps.tool) as Inspect
  return (...args) => asked(deps, { method: 'inspect', args, ask: () => inspect(...args) })
}

/**
 * If the preview's parts are a function, they are made later, and bounded too. The tool's signal is aborted when its
 * time is over.
 */
function previewing(deps: Bounding): NonNullable<Tool['preview']> {
  return async (args, context) => {
    const end = new AbortController()
    using _stop = onAbort(context.abortSignal, () => end.abort(context.abortSignal.reason))
    const preview = async <T>(ask: () => T | PromiseLike<T>): Promise<T> => {
      try {
        return await asked(deps, { method: 'preview', args, ask })
      } catch (thrown) {
        end.abort(thrown)
        throw thrown
      }
    }
    const given = await preview(() => deps.tool.preview?.(args, { ...context, abortSignal: end.signal }) ?? null)
    return hasLateParts(given) ? { ...given, parts: () => preview(given.parts) } : given
  }
}

function hasLateParts(given: GivenPreview): given is Extract<GivenPreview, { readonly parts: () => unknown }> {
  return typeof (given as { readonly parts?: unknown } | null)?.parts === 'function'
}
