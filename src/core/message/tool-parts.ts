import { ToolError } from '../errors.ts'
import type { ContentPart } from './part.ts'

/** Registered, because the entries of the package are bundles with a copy of this class each. */
const MARK = Symbol.for('holdpoint.tool_parts')

/** The result of a tool in parts. It cannot be mistaken for JSON that looks the same. */
export class ToolParts {
  readonly parts: readonly ContentPart[]

  constructor(parts: readonly ContentPart[]) {
    this.parts = parts
    Object.defineProperty(this, MARK, { value: true })
  }

  /** @throws ToolError NOT_WHOLE: as a member of a JSON value, the parts would be lost. */
  toJSON(): never {
    throw new ToolError('NOT_WHOLE', 'toolParts([…]) must be the whole result of a tool, not a member of it')
  }
}

/**
 * A result of a tool that is texts, images and files: `return toolParts([{ type: 'image', media_type: 'image/png', data
 * }])`. `data` is base64. The limits of messages apply; a note replaces a part beyond them.
 */
export function toolParts(parts: readonly ContentPart[]): ToolParts {
  return new ToolParts(parts)
}

export function isToolParts(value: unknown): value is ToolParts {
  return typeof value === 'object' && value !== null && MARK in value
}
