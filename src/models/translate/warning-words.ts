import type { LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider'
import { cutText } from '../../core/text/kept-text.ts'

const LONGEST = 300

/** Packages of older specifications say which `setting` is not supported. */
type SomeWarning = SharedV4Warning | { readonly type: string; readonly setting?: string; readonly details?: string }

/**
 * What a provider's package says of a request that it sends otherwise than it was asked to; `null` if nobody has to know:
 * the thoughts of another provider are left out on purpose, its calls have no signature that Gemini knows, and what is
 * done for `compatibility` is what was asked.
 */
export function warningWords(warning: SomeWarning): string | null {
  const { type, message, feature, setting, details }: Readonly<Record<string, unknown>> = { ...warning }
  if (type === 'compatibility') return null
  if (typeof message === 'string' && /reasoning|thinking|thoughtSignature/i.test(message)) return null
  const named = [feature ?? setting, message ?? details].filter(each => typeof each === 'string' && each !== '')
  return named.length === 0 ? null : cutText(named.join(': '), LONGEST)
}

/** What people should know of a part of an answer. */
export function partWarnings(part: LanguageModelV4StreamPart): readonly string[] {
  return part.type === 'stream-start' ? part.warnings.flatMap(warning => warningWords(warning) ?? []) : []
}
