import type { JsonObject } from '../../core/text/json.ts'
import type { ToolSpec, UnfitTool } from '../../ports/agent/model.ts'
import { type FittedSchema, fitSchema } from './fit-schema.ts'
import type { ProviderRules } from './provider-rules.ts'
import { renamedFields, renamedText, reversed, wireCallId, wireToolName } from './wire-names.ts'

/** The tools of a request as their provider takes them, and the way back for its calls. */
export interface FittedTools {
  /** Under the names that the provider takes. */
  readonly sent: readonly ToolSpec[]
  /** Those that it takes in no form. */
  readonly unfit: readonly UnfitTool[]
  /** The name that the provider gets for any tool, also for one that is not offered any more. */
  wireName(name: string): string
  trueName(wire: string): string
  /** The id that the provider gets for a call of the thread. */
  wireCallId(id: string): string
  /** The arguments of an earlier call, under the names that the provider gets. */
  wireArguments(name: string, args: JsonObject): JsonObject
  /** The text of arguments under their true names; a text that is no JSON stays as it is. */
  trueArguments(wire: string, text: string): string
  /** True if arguments of such a call come under other names than their true ones. */
  renames(wire: string): boolean
}

export function fitTools(tools: readonly ToolSpec[], rules: ProviderRules): FittedTools {
  const fits = tools.map(tool => ({ tool, name: wireToolName(tool.name, rules), fit: fitOf(tool.inputSchema, rules) }))
  const byWire = new Map<string, Sent>()
  const unfit: UnfitTool[] = []
  for (const { tool, name, fit } of fits) {
    const why = whyUnfit(fit, byWire.has(name), byWire.size >= (rules.mostTools ?? Number.POSITIVE_INFINITY))
    if (why !== null) unfit.push({ tool: tool.name, why })
    else if (typeof fit !== 'string') byWire.set(name, { tool, fit })
  }
  const fitOfWire = (wire: string): FittedSchema | undefined => byWire.get(wire)?.fit
  return {
    unfit,
    sent: [...byWire].map(([name, { tool, fit }]) => ({ ...tool, name, inputSchema: fit.schema })),
    wireName: name => wireToolName(name, rules),
    wireCallId: id => wireCallId(id, rules),
    trueName: wire => byWire.get(wire)?.tool.name ?? wire,
    wireArguments(name, args) {
      const fit = fitOfWire(wireToolName(name, rules))
      return fit ? (renamedFields(args, { names: fit.renames, sent: fit.schema }) as JsonObject) : args
    },
    trueArguments(wire, text) {
      const fit = fitOfWire(wire)
      if (!fit || fit.renames.size === 0) return text
      return renamedText(text, { names: reversed(fit.renames), sent: fit.schema })
    },
    renames: wire => (fitOfWire(wire)?.renames.size ?? 0) > 0,
  }
}

interface Sent {
  readonly tool: ToolSpec
  readonly fit: FittedSchema
}

function whyUnfit(fit: FittedSchema | string, isTaken: boolean, isFull: boolean): string | null {
  if (typeof fit === 'string') return fit
  if (isTaken) return 'another tool has its name'
  return isFull ? 'the provider takes no more tools in one request' : null
}

/** The schemas of an agent are the same objects in every step. */
const FITS = new WeakMap<JsonObject, Map<ProviderRules, FittedSchema | string>>()

function fitOf(schema: JsonObject, rules: ProviderRules): FittedSchema | string {
  const known = FITS.get(schema) ?? new Map<ProviderRules, FittedSchema | string>()
  FITS.set(schema, known)
  const fit = known.get(rules) ?? fitSchema(schema, rules.schema)
  known.set(rules, fit)
  return fit
}
