"""Which engine is right about a pendulum, and by how much the other is wrong."""

import veracity as vc

result = vc.run("pendulum_with_ball", ["native", "rapier"])
for row in result.rows:
    angle = row["angle"]
    print(f"{row.engine}: {row.verdict}, {angle.value:.3e} ± {angle.error:.1e} {angle.unit}, bound {angle.bound:g}")
