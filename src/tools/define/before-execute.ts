/** Asks a tool about a call before it runs: whether people must approve, what they must have, and what they see. */
import { afterwards } from '../../async/afterwards.ts'
import { ToolError } from '../../core/errors.ts'
import { isFitted } from '../../core/plain/fitted.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { asJson } from './as-json.ts'
import type { ToolArguments, ToolOptions } from './tool-options.ts'
import type { ArgumentSchema, Checked, ToolSchema } from './tool-schema.ts'

/** P9: what the schema made once is what all functions of a tool get. */
export function checkedOnce(schema: ArgumentSchema, args: JsonObject): Checked | Promise<Checked> {
  return isFitted(args) ? { ok: true, output: { ...args } } : schema.check(args)
}

/** If it throws, a person is asked, and told why. */
export function needsApproval<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
  args: JsonObject,
): boolean | null | Promise<boolean | null> {
  const { needsApproval: word = null } = options
  if (typeof word !== 'function') return word
  const ask = (checked: Checked) =>
    !checked.ok || afterwards(word.call(options, checked.output as ToolArguments<Schema>), said => said !== false)
  return afterwards(checkedOnce(schema, args), ask)
}

/** One that throws leaves it open what must be approved, and then the call may not run. */
export function demanding<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
): Pick<Tool, 'demandsApproval'> {
  if (!options.demandsApproval) return {}
  return {
    demandsApproval: async args => {
      const checked = await checkedOnce(schema, args)
      if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
      const demand = await options.demandsApproval?.(checked.output as ToolArguments<Schema>)
      if (demand === undefined)
        throw new TypeError('demandsApproval returned nothing; null would say that none is needed')
      return demand && { action: demand.action, details: asJson(demand.details, 'details') }
    },
  }
}

/** It gets its arguments as `execute` does. */
export function previewing<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
): Pick<Tool, 'preview'> {
  if (!options.preview) return {}
  return {
    preview: async (args, context) => {
      const checked = await checkedOnce(schema, args)
      if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
      return options.preview?.(checked.output as ToolArguments<Schema>, context) ?? null
    },
  }
}
