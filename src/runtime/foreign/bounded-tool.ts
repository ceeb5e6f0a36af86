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
  const site = { reach, tool, unanswered: new Map() }
  const bounded: Partial<Tool> = {
    needsApproval: args => asked(site, { method: 'needsApproval', args, ask: () => tool.needsApproval(args) }),
    validate: args => asked(site, { method: 'validate', args, ask: () => tool.validate(args) }),
    execute: (args, context) => tool.execute(args, context),
    ...(tool.demandsApproval && { demandsApproval: demanding(site) }),
    ...(tool.inspect && { inspect: inspecting(site) }),
    ...(tool.preview && { preview: previewing(site) }),
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
  const said = reachForeign(reach, { what: `${method} of ${tool.name}`, ask: question })
  return isPromised(said) ? Promise.resolve(said).catch(remember) : said
}

function demanding(site: Bounding): NonNullable<Tool['demandsApproval']> {
  const { tool } = site
  return args => asked(site, { method: 'demandsApproval', args, ask: () => tool.demandsApproval?.(args) ?? null })
}

type Inspect = NonNullable<Tool['inspect']>

function inspecting(site: Bounding): Inspect {
  const inspect = site.tool.inspect?.bind(site.tool) as Inspect
  return (...args) => asked(site, { method: 'inspect', args, ask: () => inspect(...args) })
}

/** Parts that are a function are made later, and bounded too. The tool is told when its time is over. */
function previewing(site: Bounding): NonNullable<Tool['preview']> {
  return async (args, context) => {
    const end = new AbortController()
    using _stop = onAbort(context.abortSignal, () => end.abort(context.abortSignal.reason))
    const preview = async <T>(ask: () => T | PromiseLike<T>): Promise<T> => {
      try {
        return await asked(site, { method: 'preview', args, ask })
      } catch (thrown) {
        end.abort(thrown)
        throw thrown
      }
    }
    const given = await preview(() => site.tool.preview?.(args, { ...context, abortSignal: end.signal }) ?? null)
    return hasLateParts(given) ? { ...given, parts: () => preview(given.parts) } : given
  }
}

function hasLateParts(given: GivenPreview): given is Extract<GivenPreview, { readonly parts: () => unknown }> {
  return typeof (given as { readonly parts?: unknown } | null)?.parts === 'function'
}
