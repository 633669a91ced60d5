using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Recording;

/// <summary>Errors as the Linux providers would report them.</summary>
internal static class SimulatedErrors
{
    public static NumaResult ToResult(this SimulatedError error) => error switch
    {
        SimulatedError.EPERM => new NumaResult(NumaFailure.NotPermitted, 1, nameof(SimulatedError.EPERM)),
        SimulatedError.ENOMEM => new NumaResult(NumaFailure.OutOfMemory, 12, nameof(SimulatedError.ENOMEM)),
        SimulatedError.EINVAL => new NumaResult(NumaFailure.InvalidArgument, 22, nameof(SimulatedError.EINVAL)),
        SimulatedError.ENOSYS => new NumaResult(NumaFailure.NotSupported, 38, nameof(SimulatedError.ENOSYS)),
        SimulatedError.EIO => new NumaResult(NumaFailure.Other, 5, nameof(SimulatedError.EIO)),
        _ => throw new ArgumentOutOfRangeException(nameof(error), error, "Not an error of SimulatedError."),
    };
}
