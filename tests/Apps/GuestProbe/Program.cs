using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.GuestProbe;
using NumaSharp.GuestProbe.Locality;
using NumaSharp.GuestProbe.ManagedHeap;
using NumaSharp.GuestProbe.Pressure;

// Tells, as JSON, what a process sees and gets in the surroundings that it was started in. With --refuse it first takes the
// system calls of memory placement from itself, as containers do. Everything else is configuration, such as
// --Numa:Binding:Mode=Strict. With --locality it measures how much is on the right node instead, with
// --managed-heap how much of the garbage collector's heap, with --pressure what pools keep when memory is short.
if (args.Contains(LocalityRows.Argument))
{
    Console.WriteLine(JsonSerializer.Serialize(await LocalityProbe.MeasureAsync()));
    return;
}

if (args.Contains(ManagedHeapProbe.Argument))
{
    Console.WriteLine(JsonSerializer.Serialize(ManagedHeapProbe.Measure()));
    return;
}

if (args.Contains(PressureProbe.Argument))
{
    Console.WriteLine(JsonSerializer.Serialize(await PressureProbe.MeasureAsync(args.Contains(PressureProbe.AllSteps))));
    return;
}

const string Refuse = "--refuse";
if (args.Contains(Refuse))
{
    SeccompFilter.RefuseMemoryPlacement();
}

var builder = Host.CreateApplicationBuilder([.. args.Where(static argument => argument != Refuse)]);
builder.Logging.ClearProviders();
builder.AddNuma();
using var host = builder.Build();
await host.StartAsync();
var report = await Probe.ReportAsync(host.Services);
Console.WriteLine(JsonSerializer.Serialize(report));
await host.StopAsync();
