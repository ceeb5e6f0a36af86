import type { HoldKind } from '../api/documents.ts'
import type { IconName } from './icon.tsx'

export const KIND_NAMES: Readonly<Record<HoldKind, string>> = {
  approval: 'Approval',
  question: 'Question',
  input: 'Next message',
  client_tool: 'Result needed',
  in_doubt: 'In doubt',
}

export const KIND_ICONS: Readonly<Record<HoldKind, IconName>> = {
  approval: 'terminal',
  question: 'question',
  input: 'message',
  client_tool: 'pen',
  in_doubt: 'alert',
}
