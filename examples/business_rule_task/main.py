"""How are business rules evaluated?

As a behavior: a plain Python function reads data and returns the decision. A table of rules is a list of conditions.
"""

from pathlib import Path

import bpmnsim as bs

model = bs.read_bpmn(Path(__file__).with_name("model.bpmn"))

RULES = [
    (lambda cart: cart["member"] and cart["amount"] >= 100, 0.15),
    (lambda cart: cart["member"], 0.05),
    (lambda _: True, 0.0),
]


def rate(task):
    return {"discount": next(discount for applies, discount in RULES if applies(task["cart"]))}


def discount(member, amount):
    cart = {"member": member, "amount": amount}
    return bs.simulate(model, data={"cart": cart}, behaviors={"rate": rate}).values["discount"]


found = [discount(member, amount) for member, amount in ((True, 150), (True, 20), (False, 150))]
print("discounts:", found)

assert found == [0.15, 0.05, 0.0]
