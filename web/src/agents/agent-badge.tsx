import type { ReactElement } from 'react'
import type { AgentStatus } from '../../../src/core/fleet/agent-status.ts'
import { Badge, type BadgeLook } from '../parts/badge.tsx'
import type { IconName } from '../parts/icon.tsx'

// biome-ignore format: the table is the documentation
const LOOKS: Readonly<Record<AgentStatus, readonly [look: BadgeLook, icon?: IconName]>> = {
  waiting: ['warn', 'clock'],
  crashed: ['bad', 'alert'], failed: ['bad', 'cross'], unreachable: ['bad', 'alert'],
  idle: ['good', 'message'],
  running: ['accent'], spawning: ['accent'], queued: ['plain'], killing: ['bad'],
  parked: ['plain'],
  done: ['plain', 'check'], killed: ['plain', 'cross'],
}

export function AgentBadge({ status }: { readonly status: AgentStatus }): ReactElement {
  const [look, icon] = LOOKS[status]
  return (
    <Badge look={look} {...(icon && { icon })}>
      {status}
    </Badge>
  )
}
