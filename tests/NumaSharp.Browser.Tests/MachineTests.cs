using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Playwright;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Browser.Tests;

/// <summary>What the page says of a machine, in a real browser.</summary>
public sealed class MachineTests(ChromiumFixture chromium, SharedMachines machines)
{
    [Fact]
    public async Task Page_OnFourNodes_ShowsEachWithWhatItHas()
    {
        await using var machine = await Machine.StartAsync(SimulatedMachines.Nps4());
        await machine.WorkAsync();
        using var block = machine.Rent(node: 2, bytes: 100_000);
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);

        await Assertions.Expect(live.Section("nodes").GetByRole(AriaRole.Article)).ToHaveCountAsync(4);
        string[] cpus = ["0-3", "4-7", "8-11", "12-15"];
        for (var node = 0; node < 4; node++)
        {
            await Assertions.Expect(live.Term(node, "CPUs")).ToHaveTextAsync(cpus[node]);
            await live.PassIntervalsUntilAsync(machine, live.Term(node, "Work"), $"{100 * (node + 1)} items, 0 queued");
        }

        await Assertions.Expect(live.Term(2, "Pools")).Not.ToContainTextAsync("0 B rented");
        await Assertions.Expect(live.Section("fallbacks")).ToBeHiddenAsync();
        await Assertions.Expect(live.Page.Locator("#summary")).ToContainTextAsync("4 nodes");
    }

    [Fact]
    public async Task Distances_OfAMachine_AreAHeatMap()
    {
        await using var machine = await Machine.StartAsync(SimulatedMachines.Cxl());
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);

        Assert.Equal(
            [
                ["from \\ to", "Node 0", "Node 1", "Node 2"],
                ["Node 0", "10", "21", "14"],
                ["Node 1", "21", "10", "24"],
                ["Node 2", "14", "24", "10"],
            ],
            await live.TableAsync("distances"));
        var heat = await live.Section("distances").Locator("td").EvaluateAllAsync<string[]>(
            "cells => cells.map(cell => cell.dataset.heat)");
        Assert.Equal(["0", "4", "2", "4", "0", "4", "2", "4", "0"], heat);
        await Assertions.Expect(live.Card(2)).ToContainTextAsync("those of node 0");
    }

    [Fact]
    public async Task Placement_OfAPlan_SaysWhatIsPlannedAndWhatIsSo()
    {
        var machine = await machines.TroubledAsync();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        var rows = await live.TableAsync("placement");

        Assert.Equal(3, rows.Length);
        Assert.Equal("bound", rows[1][3]);
        Assert.Equal("bound, now first touch", rows[2][3]);
        var problem = live.Section("fallbacks").Locator(".problem");
        await Assertions.Expect(problem).ToHaveCountAsync(1);
        await Assertions.Expect(problem.GetByRole(AriaRole.Heading)).ToHaveTextAsync("memory.bind, node 1");
        await Assertions.Expect(problem).ToContainTextAsync("What to do:");
    }

    [Fact]
    public async Task Page_OnOneNode_LeavesOutWhatNeedsTwo()
    {
        await using var machine = await Machine.StartAsync(new SimulatedMachineOptions
        {
            Nodes = { new SimulatedNodeOptions { Cpus = CpuSet.Range(0, 4), MemoryBytes = 16L << 30 } },
        });
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);

        await Assertions.Expect(live.Section("nodes").GetByRole(AriaRole.Article)).ToHaveCountAsync(1);
        await Assertions.Expect(live.Section("distances")).ToBeHiddenAsync();
        await Assertions.Expect(live.Section("traffic")).ToBeHiddenAsync();
        await Assertions.Expect(live.Section("datagrams")).ToBeHiddenAsync();
    }

    [Fact]
    public async Task Loops_OfTheTransport_AreThoseOfTheJson()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var machine = await machines.PlainAsync();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        var loops = (await machine.StateAsync()).GetProperty("loops").EnumerateArray().ToArray();
        var rows = await live.TableAsync("loops");

        Assert.NotEmpty(loops);
        Assert.Equal(
            loops.Select(static loop => ($"Loop {Text(loop, "index")}", Text(loop, "node"), "serving")),
            rows.Skip(1).Select(static row => (row[0], row[1], row[2])));

        static string Text(JsonElement loop, string name) => loop.GetProperty(name).GetRawText();
    }

    [Fact]
    public async Task Traffic_OfConnections_SaysHowManyPacketsCameFromOtherNodes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

        // Packets of CPUs that a machine does not have are of no node: the first has all that this test may run on.
        var cpus = NumaTopology.Instance.AllowedCpus;
        await using var machine = await Machine.StartAsync(new SimulatedMachineOptions
        {
            Nodes =
            {
                TestMachines.NodeOptions(0, $"{cpus}", 1L << 30, 10, 21),
                TestMachines.NodeOptions(1, $"{cpus.Last + 1}", 1L << 30, 21, 10),
            },
        });

        // A connection that is kept, long enough for samples.
        for (var i = 0; i < 200; i++)
        {
            await machine.StateAsync();
        }

        machine.PassInterval();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        var rows = await live.TableAsync("traffic");
        Assert.Equal(["from \\ to", "Node 0", "Node 1"], rows[0]);
        Assert.Equal(["Node 0", "Node 1", "Packets, from other nodes"], rows[1..].Select(static row => row[0]));
        Assert.Contains(rows[^1][1..], static text => Regex.IsMatch(
            text, "^[0-9]+ of [1-9][0-9]*$", RegexOptions.None, TimeSpan.FromSeconds(1)));
    }

    [Fact]
    public async Task Requests_OfThePage_GoToItsServerOnly()
    {
        var machine = await machines.PlainAsync();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);

        Assert.Equal(
            ["/numa", "/numa/charts.js", "/numa/events", "/numa/icon.svg", "/numa/page.css", "/numa/page.js", "/numa/views.js"],
            live.Requested.Where(uri => uri.Authority == machine.Page.Authority).Select(static uri => uri.AbsolutePath)
                .Append("/numa/icon.svg").Distinct().Order());
        Assert.DoesNotContain(live.Requested, uri => uri.Authority != machine.Page.Authority);
    }
}
