import { canonicalJson, type Json } from '../text/json.ts'

/** A piece of text. */
export type PreviewText = {
  readonly type: 'text'
  readonly title?: string
  readonly text: string
}

/** Removed and added lines as a unified diff: hunks from `@@`, without a header of file names. */
export type PreviewDiff = {
  readonly type: 'diff'
  /** The name of what changes: a path, mostly. */
  readonly title: string
  /** Empty if nothing changes. */
  readonly diff: string
  /** In lines. */
  readonly added: number
  /** In lines. */
  readonly removed: number
}

/** An image in base64. */
export type PreviewImage = {
  readonly type: 'image'
  readonly title?: string
  readonly media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  readonly data: string
}

/** Rows of cells, as many in each as there are columns. */
export type PreviewTable = {
  readonly type: 'table'
  readonly title?: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** An http(s) address at which people see more. An approval binds the address, and not what is found there. */
export type PreviewLink = {
  readonly type: 'link'
  readonly title?: string
  readonly url: string
}

/** A piece of what people are shown before they decide. */
export type PreviewPart = PreviewText | PreviewDiff | PreviewImage | PreviewTable | PreviewLink

/** The effect of a call, as its tool showed it when the hold opened. */
export interface Preview {
  /** Empty if it could not be made. */
  readonly parts: readonly PreviewPart[]
  /** The source of the preview, in short. If it differs when the call is about to start, a new hold opens. */
  readonly basis: Json
  /** Why there is no preview, as a sentence; `null` if there is one. */
  readonly problem: string | null
  /** The call made it while it ran, and compares with it itself when it goes on. */
  readonly own?: true
  /** `sha256:` of parts, basis and problem. The hold's own digest covers it, so an approval binds it (P9). */
  readonly digest: string
}

/** The text over which the digest of a preview is taken. */
export function previewText({ parts, basis, problem }: Omit<Preview, 'digest' | 'own'>): string {
  return canonicalJson({ parts, basis, problem })
}

/** In words, for people who decide without a preview. */
export function previewProblem(problem: string): string {
  return `There is no preview: ${problem}`
}
