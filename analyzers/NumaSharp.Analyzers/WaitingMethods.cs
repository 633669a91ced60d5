using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>The methods of .NET that wait, as a compilation knows them.</summary>
internal sealed class WaitingMethods(Compilation compilation)
{
    // By type: methods that wait, each with all its overloads, also in types that are derived.
    private static readonly ImmutableDictionary<string, ImmutableArray<string>> s_methods =
        ImmutableDictionary<string, ImmutableArray<string>>.Empty
            .Add("System.Threading.Thread", ImmutableArray.Create("Sleep", "Join"))
            .Add("System.Threading.Monitor", ImmutableArray.Create("Wait"))
            .Add("System.Threading.SpinWait", ImmutableArray.Create("SpinUntil"))
            .Add("System.Threading.SemaphoreSlim", ImmutableArray.Create("Wait"))
            .Add("System.Threading.ManualResetEventSlim", ImmutableArray.Create("Wait"))
            .Add("System.Threading.CountdownEvent", ImmutableArray.Create("Wait"))
            .Add("System.Threading.Barrier", ImmutableArray.Create("SignalAndWait"))
            .Add("System.Threading.WaitHandle", ImmutableArray.Create("WaitOne", "WaitAll", "WaitAny", "SignalAndWait"))
            .Add("System.Threading.Tasks.Task", ImmutableArray.Create("Wait", "WaitAll", "WaitAny"))
            .Add("System.Threading.Tasks.Parallel", ImmutableArray.Create("For", "ForEach", "Invoke"))
            .Add("System.Collections.Concurrent.BlockingCollection`1", ImmutableArray.Create("Take"))
            .Add("System.Diagnostics.Process", ImmutableArray.Create("WaitForExit"))
            .Add("System.Console", ImmutableArray.Create("Read", "ReadKey", "ReadLine"))
            .Add("System.Net.Dns", ImmutableArray.Create("GetHostAddresses", "GetHostEntry"))
            .Add("System.Net.Http.HttpClient", ImmutableArray.Create("Send"))
            .Add("System.Data.Common.DbConnection", ImmutableArray.Create("Open"))
            .Add("System.Data.Common.DbCommand", ImmutableArray.Create("ExecuteNonQuery", "ExecuteReader", "ExecuteScalar"))
            .Add("System.IO.File", ImmutableArray.Create(
                "ReadAllBytes", "ReadAllLines", "ReadAllText", "ReadLines", "WriteAllBytes", "WriteAllLines", "WriteAllText",
                "AppendAllBytes", "AppendAllLines", "AppendAllText", "Copy", "Move"));

    // By the method's name, which is all that most calls are compared with.
    private readonly ILookup<string, INamedTypeSymbol> _types = s_methods
        .SelectMany(
            static type => type.Value,
            (type, method) => (Method: method, Type: compilation.GetTypeByMetadataName(type.Key)))
        .Where(static each => each.Type is not null)
        .ToLookup(static each => each.Method, static each => each.Type!);

    /// <summary>Whether the call waits: not if its time-out is zero.</summary>
    public bool IsWait(IInvocationOperation call)
    {
        foreach (var type in _types[call.TargetMethod.Name])
        {
            if (NumaTypes.IsOrDerivesFrom(call.TargetMethod.ContainingType, type))
            {
                return !call.Arguments.Any(IsZeroTime);
            }
        }

        return false;
    }

    // A time-out of zero asks and does not wait. Thread.Sleep(0) gives the rest of the time slice away.
    private static bool IsZeroTime(IArgumentOperation argument) =>
        argument.Parameter?.Name is "millisecondsTimeout" or "milliseconds" or "timeout"
        && argument.Value.Unwrapped() switch
        {
            IFieldReferenceOperation { Field: { Name: "Zero", ContainingType.Name: "TimeSpan" } } => true,
            var value => value.ConstantValue is { HasValue: true, Value: 0 },
        };
}
