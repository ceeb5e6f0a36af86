import type { Policy } from '../../core/policy/policy.ts'
import type { PreviewPart } from '../../core/preview/preview.ts'
import type { Json } from '../../core/text/json.ts'

/** The context in which a tool makes the preview of a call. */
export interface PreviewContext {
  /** The run's own directory, absolute. */
  readonly workdir: string
  /** The directory to which relative paths in rules refer. */
  readonly rulesFrom: string
  /** The run's policy. */
  readonly policy: Policy
  /** Aborted when the time for the preview is over, or the run is to stop. */
  readonly abortSignal: AbortSignal
}

/** Lines before and after: Holdpoint makes the difference of them. */
export interface BeforeAndAfter {
  readonly type: 'diff'
  /** The name of what changes: a path, mostly. */
  readonly title: string
  readonly before: string
  readonly after: string
}

/** A piece of a preview as tools give it. */
export type GivenPreviewPart = PreviewPart | BeforeAndAfter

/**
 * The preview that a tool gives of a call before it runs: a text, parts, or parts with their `basis`; `null` if there
 * is nothing to show. The basis represents everything that the preview was made from (a version, a digest). Default:
 * the parts themselves. Parts that are costly can be a function: before the call starts, only the basis is compared.
 */
export type GivenPreview =
  | string
  | readonly GivenPreviewPart[]
  | { readonly parts: readonly GivenPreviewPart[]; readonly basis?: Json }
  | { readonly parts: () => PartsMade | PromiseLike<PartsMade>; readonly basis: Json }
  | null

type PartsMade = readonly GivenPreviewPart[]
