import type { ContentPart, FilePart, ImagePart } from '../core/message/part.ts'
import { partWords } from '../core/message/part-words.ts'
import { redactText, type Secrets } from './redact-text.ts'

/** The same part if it has no secret. Bytes are read only if they are a text. */
export function redactPart(part: ContentPart, secrets: Secrets): ContentPart {
  if (part.type === 'text') return redactedOrSame(part, redactText(part.text, secrets))
  const isTold = [part.name, part.url].some(told => told !== undefined && redactText(told, secrets) !== told)
  // An address without its secret leads nowhere, and a provider that cannot read it fails the whole run.
  if (isTold) return { type: 'text', text: redactText(partWords(part), secrets) }
  return isText(part) ? redactTextFile(part, secrets) : part
}

function redactedOrSame(part: ContentPart & { readonly type: 'text' }, text: string): ContentPart {
  return text === part.text ? part : { ...part, text }
}

const TEXT_TYPES = /^text\/|[/+](?:json|xml|yaml)$/

type BytesOfText = (FilePart | ImagePart) & { readonly data: string }

function isText(part: FilePart | ImagePart): part is BytesOfText {
  return part.data !== undefined && TEXT_TYPES.test(part.media_type)
}

function redactTextFile(part: BytesOfText, secrets: Secrets): ContentPart {
  const text = Buffer.from(part.data, 'base64').toString()
  const redacted = redactText(text, secrets)
  return redacted === text ? part : { ...part, data: Buffer.from(redacted).toString('base64') }
}
