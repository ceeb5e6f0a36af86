import { onAbort } from '../../async/on-abort.ts'
import type { GivenPreview } from '../../ports/agent/preview.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { type Reach, reachForeign } from './reach-foreign.ts'

/**
 * The tool, but each question that it is asked before it runs is bounded by `reach`. All else is read from the tool itself, so
 * a change of it is seen (P9).
 */
export function boundedTool(reach: Reach, tool: Tool): Tool {
  const bounded: Partial<Tool> = {
    needsApproval: args => asked(reach, tool, { method: 'needsApproval', ask: () => tool.needsApproval(args) }),
    validate: args => asked(reach, tool, { method: 'validate', ask: () => tool.validate(args) }),
    execute: (args, context) => tool.execute(args, context),
    ...(tool.demandsApproval && { demandsApproval: demanding(reach, tool) }),
    ...(tool.inspect && { inspect: inspecting(reach, tool) }),
    ...(tool.preview && { preview: previewing(reach, tool) }),
  }
  return Object.defineProperties({}, { ...readOf(tool), ...Object.getOwnPropertyDescriptors(bounded) }) as Tool
}

function readOf(tool: Tool): PropertyDescriptorMap {
  const keys = Object.keys(tool) as (keyof Tool)[]
  return Object.fromEntries(keys.map(key => [key, { get: () => tool[key], enumerable: true, configurable: true }]))
}

interface Asking<T> {
  readonly method: keyof Tool
  readonly ask: () => T | PromiseLike<T>
}

function asked<T>(reach: Reach, { name }: Tool, { method, ask }: Asking<T>): T | Promise<T> {
  return reachForeign(reach, { what: `${method} of ${name}`, ask })
}

function demanding(reach: Reach, tool: Tool): NonNullable<Tool['demandsApproval']> {
  return args => asked(reach, tool, { method: 'demandsApproval', ask: () => tool.demandsApproval?.(args) ?? null })
}

type Inspect = NonNullable<Tool['inspect']>

function inspecting(reach: Reach, tool: Tool): Inspect {
  const inspect = tool.inspect?.bind(tool) as Inspect
  return (...args) => asked(reach, tool, { method: 'inspect', ask: () => inspect(...args) })
}

/** Parts that are a function are made later, and bounded too. The tool is told when its time is over. */
function previewing(reach: Reach, tool: Tool): NonNullable<Tool['preview']> {
  return async (args, context) => {
    const end = new AbortController()
    using _stop = onAbort(context.abortSignal, () => end.abort(context.abortSignal.reason))
    const preview = async <T>(ask: () => T | PromiseLike<T>): Promise<T> => {
      try {
        return await asked(reach, tool, { method: 'preview', ask })
      } catch (thrown) {
        end.abort(thrown)
        throw thrown
      }
    }
    const given = await preview(() => tool.preview?.(args, { ...context, abortSignal: end.signal }) ?? null)
    return hasLateParts(given) ? { ...given, parts: () => preview(given.parts) } : given
  }
}

function hasLateParts(given: GivenPreview): given is Extract<GivenPreview, { readonly parts: () => unknown }> {
  return typeof (given as { readonly parts?: unknown } | null)?.parts === 'function'
}
