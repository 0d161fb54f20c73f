"""scikit-learn's SVR, timed: the other side of `cargo xtask bench regress`.

    sklearn_svr.py TABLE TOLERANCE CACHE_MIB

TABLE is what svr_speed wrote: 64-bit numbers, 30 features and the target in each row. Prints one line of JSON with the
fields of svr_speed. The gap is worked out from the solution: scikit-learn does not tell it.
"""

import json
import resource
import sys
import time

import numpy
from sklearn.svm import SVR

table, tolerance, cache = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
rows = numpy.fromfile(table, dtype="<f8").reshape(-1, 31)
x, y = numpy.ascontiguousarray(rows[:, :30]), rows[:, 30].copy()
C, epsilon = 1.0, 1e-6
model = SVR(kernel="rbf", gamma=0.1, C=C, epsilon=epsilon, tol=tolerance, cache_size=cache)
begun = time.perf_counter()
model.fit(x, y)
wall_s = time.perf_counter() - begun

found = model.predict(x)
beta = numpy.zeros(len(y))
beta[model.support_] = model.dual_coef_[0]
error = y - (found - model.intercept_[0])
grow = numpy.where(beta < 0, error + epsilon, error - epsilon)[beta < C]
shrink = numpy.where(beta > 0, error - epsilon, error + epsilon)[beta > -C]
print(json.dumps({
    "rows": len(y),
    "wall_s": wall_s,
    "gap": float(grow.max() - shrink.min()),
    "steps": int(model.n_iter_),
    "supports": len(model.support_),
    "error_percent": float(100 * numpy.mean(abs(found - y)) / 0.003312),
    "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
