using NumaSharp.Core;
using NumaSharp.MemoryProbe;

// Uses an allocator in a process that was started with little address space (ulimit -v) or little memory (a cgroup). Ends with
// 0 and a line of text, or with 1 and what was wrong.
try
{
    var message = args switch
    {
        ["use"] => Probe.UseAll(),
        ["refuse"] => Probe.Refuse(),
        ["charge", var megabytes] => Probe.Charge(int.Parse(megabytes, System.Globalization.CultureInfo.InvariantCulture)),
        _ => throw new ArgumentException("use | refuse | charge MEGABYTES"),
    };
    Console.WriteLine(message);
    return 0;
}
catch (Exception exception) when (exception is InvalidOperationException or OutOfMemoryException or NumaException)
{
    Console.WriteLine(exception);
    return 1;
}
