export { Alarm } from '../../async/alarm.ts'
