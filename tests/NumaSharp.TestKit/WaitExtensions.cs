using System.Runtime.CompilerServices;

namespace NumaSharp.TestKit;

/// <summary><see cref="Wait"/>'s, behind a long expression.</summary>
public static class WaitExtensions
{
    /// <inheritdoc cref="Wait.For(WaitHandle, string)"/>
    public static void WaitFor(this WaitHandle handle, [CallerArgumentExpression(nameof(handle))] string what = "") =>
        Wait.For(handle, what);

    /// <inheritdoc cref="Wait.For(CountdownEvent, string)"/>
    public static void WaitFor(this CountdownEvent countdown, [CallerArgumentExpression(nameof(countdown))] string what = "") =>
        Wait.For(countdown, what);

    /// <inheritdoc cref="Wait.For(Task, string)"/>
    public static void WaitFor(this Task task, [CallerArgumentExpression(nameof(task))] string what = "") => Wait.For(task, what);
}
