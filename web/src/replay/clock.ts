// The moment shown. It advances with the screen's frames while playing and notifies its listeners.

export type FrameSource = (frame: (nowMs: number) => void) => void;

export class Clock {
  private now = 0;
  private running = false;
  private last: number | null = null;
  private readonly listeners: (() => void)[] = [];
  /** Simulated seconds per second. */
  rate = 1;
  /** The reader has moved it; before that, plots show no line. */
  touched = false;

  constructor(
    readonly duration: number,
    private readonly frames: FrameSource = (frame) => requestAnimationFrame(frame),
  ) {}

  get time(): number {
    return this.now;
  }

  get playing(): boolean {
    return this.running;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    this.now = Math.max(0, Math.min(this.duration, time));
    this.touched = true;
    this.notify();
  }

  play(): void {
    if (this.running || this.duration <= 0) return;
    // At the end, play starts again from the beginning.
    if (this.now >= this.duration) this.now = 0;
    this.running = true;
    this.touched = true;
    this.last = null;
    this.frames((nowMs) => this.frame(nowMs));
    this.notify();
  }

  pause(): void {
    if (!this.running) return;
    this.running = false;
    this.notify();
  }

  toggle(): void {
    if (this.running) this.pause();
    else this.play();
  }

  private frame(nowMs: number): void {
    if (!this.running) return;
    // A page in the background gets no frames; the gap must not become a jump.
    const elapsed = this.last === null ? 0 : Math.min(nowMs - this.last, 100) / 1000;
    this.last = nowMs;
    this.now += elapsed * this.rate;
    if (this.now >= this.duration) {
      this.now = this.duration;
      this.running = false;
    } else {
      this.frames((next) => this.frame(next));
    }
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}
