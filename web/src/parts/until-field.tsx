import type { ReactElement } from 'react'
import { serverNow } from '../api/clock.ts'
import { SelectField } from './field.tsx'

const DAY_MS = 86_400_000

interface UntilFieldProps {
  readonly days: string
  readonly onChange: (days: string) => void
}

/** How long something is allowed, in days. */
export function UntilField({ days, onChange }: UntilFieldProps): ReactElement {
  return (
    <SelectField label="Until" value={days} onChange={onChange}>
      <option value="1">tomorrow</option>
      <option value="7">a week from now</option>
      <option value="30">30 days from now</option>
    </SelectField>
  )
}

/** The end of so many days, by the clock of the server. */
export function endOfDays(days: string): string {
  return new Date(serverNow() + Number(days) * DAY_MS).toISOString()
}
