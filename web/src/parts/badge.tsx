import type { ReactElement, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type BadgeLook = 'plain' | 'accent' | 'good' | 'bad' | 'warn'

const LOOKS: Readonly<Record<BadgeLook, string>> = {
  plain: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
}

interface BadgeProps {
  readonly look?: BadgeLook
  readonly icon?: IconName
  readonly children: ReactNode
}

export function Badge({ look = 'plain', icon, children }: BadgeProps): ReactElement {
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-md px-1.5 py-0.5 font-medium text-xs ${LOOKS[look]}`}
    >
      {icon && <Icon name={icon} className="size-3.5" />}
      {children}
    </span>
  )
}
